import { PATIENCE_MS } from '../throttle/patience.ts';
import type { Lane } from '../throttle/throttle.ts';
import type { ServiceError, ServiceErrorCode } from './service-error.ts';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;
const MOST_ATTEMPTS: Record<Lane, number> = { interactive: 3, bulk: 2 };
const MOST_RATE_LIMITED = 5;
const FOR_THE_CALLER: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'SERVICE_SHARE_USED',
  'SERVICE_STOPPED',
]);

/** How a call has fared so far. */
export interface CallHistory {
  lane: Lane;
  /** Milliseconds since the call was made. */
  elapsedMs: number;
  /** Attempts that failed, those that were rate limited in the bulk lane aside. */
  attempts: number;
  /** Attempts that were rate limited. */
  rateLimited: number;
}

/**
 * The wait before a retry, in milliseconds: exponential, capped, with full jitter (`fraction` in
 * [0, 1)), and never under what the service asked for. `attempt` counts from 1.
 */
export function retryDelay(given: {
  attempt: number;
  error: Pick<ServiceError, 'retry' | 'retryAfterMs'>;
  fraction: number;
}): number {
  const { attempt, error, fraction } = given;
  const grown = error.retry === 'now' ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.max(error.retryAfterMs ?? 0, Math.round(grown * fraction));
}

/**
 * How long to wait before the client itself tries a failed call again, in milliseconds; null when
 * it is for the caller to decide. After a 429 there is no wait: the throttle holds the call back,
 * or it is for the caller when that lasts longer than the lane's patience.
 */
export function nextDelay(
  history: CallHistory,
  error: ServiceError,
  fraction: number,
): number | null {
  if (error.retry === 'never' || FOR_THE_CALLER.has(error.code)) return null;
  const { lane, attempts, rateLimited, elapsedMs } = history;
  const limited = error.code === 'SERVICE_RATE_LIMITED';
  if (limited && lane === 'bulk') {
    const soon = (error.retryAfterMs ?? 0) <= PATIENCE_MS.bulk;
    return soon && rateLimited <= MOST_RATE_LIMITED ? 0 : null;
  }
  if (attempts >= MOST_ATTEMPTS[lane]) return null;
  const delay = retryDelay({ attempt: Math.max(1, attempts), error, fraction });
  const spent = lane === 'interactive' ? elapsedMs : 0;
  if (spent + delay > PATIENCE_MS[lane]) return null;
  return limited ? 0 : delay;
}
