import { ServiceError } from '../requests/service-error.ts';
import type { PendingCreate } from './pending-create.ts';

/**
 * Settles those creates of a refused batch whose record is in the folder all the same: nothing says
 * that the service refuses a batch as a whole. The others go on, alone.
 */
export async function takeFound(items: readonly PendingCreate[]): Promise<void> {
  await Promise.all(items.filter((item) => item.alone && item.company > 1).map(look));
}

/**
 * Settles those creates whose record is in the folder, when the service answered that it created
 * and not all that it did: nothing says that the answer to many names each. The others stay open.
 */
export async function takeCreated(items: readonly PendingCreate[], error: unknown): Promise<void> {
  if (!isCreated(error)) return;
  const open = items.filter((item) => !item.settled());
  await Promise.all(open.map((item) => resolveFound(item).catch(() => undefined)));
}

async function look(item: PendingCreate): Promise<void> {
  try {
    await resolveFound(item);
  } catch (error) {
    if (!isRefusal(error)) item.reject(unknownOutcome(error));
  }
}

async function resolveFound(item: PendingCreate): Promise<void> {
  const record = await item.request.findLeft?.();
  if (record) item.resolve(record);
}

// An answer of success that says no more of it; a refusal within one is no success.
function isCreated(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status === undefined) return false;
  return error.code === 'SERVICE_BAD_ANSWER' && error.status >= 200 && error.status < 300;
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
