import { ServiceError } from '../requests/service-error.ts';
import type { PendingCreate } from './pending-create.ts';

/**
 * Settles those creates of a refused batch whose record is in the folder all the same: nothing says
 * that the service refuses a batch as a whole. The others go on, alone.
 */
export async function takeFound(items: readonly PendingCreate[]): Promise<void> {
  await Promise.all(items.filter((item) => item.alone && item.company > 1).map(look));
}

async function look(item: PendingCreate): Promise<void> {
  try {
    const record = await item.request.findLeft?.();
    if (record) item.resolve(record);
  } catch (error) {
    if (!isRefusal(error)) item.reject(unknownOutcome(error));
  }
}

// A folder that may not even be listed has taken nothing.
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.retry === 'never';
}

function unknownOutcome(cause: unknown): ServiceError {
  const message = 'A batch was refused, and the folder could not be looked into';
  return new ServiceError('SERVICE_BAD_ANSWER', message, {
    retry: 'later',
    sent: 'unknown',
    cause,
  });
}
