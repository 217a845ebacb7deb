import { ServiceError } from '../service-error.ts';
import type { PendingCreate } from './pending-create.ts';

export interface FailedCreates {
  /** Who is to be sent again. */
  again: PendingCreate[];
  /** The wait before, in milliseconds. */
  delayMs: number;
}

/**
 * What becomes of the creates of a request that failed. A refused batch goes again one by one, so
 * that a bad attachment fails alone; what never left, and what was asked to wait, goes again as it
 * was; everything else is rejected, for it may still take effect or would fail again.
 */
export function sortFailed(items: PendingCreate[], error: unknown): FailedCreates {
  const open = items.filter((item) => !item.settled());
  const again = open.filter((item) => mayGoAlone(item, error));
  for (const item of again) item.alone = true;
  if (again.length > 0) return { again, delayMs: 0 };
  return sortRepeatable(open, error);
}

function sortRepeatable(open: PendingCreate[], error: unknown): FailedCreates {
  const sorted: FailedCreates = { again: [], delayMs: 0 };
  const repeatable = isRepeatable(error) ? error : null;
  for (const item of open) {
    const delay = repeatable ? item.retries.failed(repeatable) : null;
    if (delay === null) {
      item.reject(error);
      continue;
    }
    sorted.again.push(item);
    sorted.delayMs = Math.max(sorted.delayMs, delay);
  }
  return sorted;
}

function isRepeatable(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  return error.sent === 'no' || (error.sent === 'yes' && error.code === 'SERVICE_RATE_LIMITED');
}

// A key that is not accepted is so for each of them. A refusal may come in any status.
function mayGoAlone(item: PendingCreate, error: unknown): boolean {
  if (!(error instanceof ServiceError) || item.company < 2) return false;
  const answered = error.status !== undefined;
  return answered && error.retry === 'never' && error.code !== 'SERVICE_UNAUTHORIZED';
}
