import type { ServiceError } from '../service-error.ts';
import type { PendingCreate } from './pending-create.ts';

/**
 * Settles those creates of a request that was answered with `error`, at `answeredAt`, whose record is
 * in the folder all the same: no answer proves that nothing was made. What cannot be looked for is
 * rejected with the error; the others may go again.
 */
export async function takeFound(
  items: readonly PendingCreate[],
  answered: { error: ServiceError; answeredAt: number },
): Promise<void> {
  await Promise.all(items.map((item) => look(item, answered)));
}

async function look(
  item: PendingCreate,
  { error, answeredAt }: { error: ServiceError; answeredAt: number },
): Promise<void> {
  try {
    const record = await item.request.findLeft?.(answeredAt);
    if (record) item.resolve(record);
  } catch {
    item.reject(error);
  }
}
