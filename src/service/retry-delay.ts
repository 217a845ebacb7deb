import { backoff } from '../base/index.ts';
import { isRateLimited, isServiceFailure, type ServiceError } from './errors.ts';
import { type Lane, PATIENCE_MS } from './throttle/limits.ts';

/** What happened before a call's last attempt failed. */
export interface CallHistory {
  lane: Lane;
  elapsedMs: number;
  /** Why the earlier attempts failed. */
  earlier: readonly ServiceError[];
}

const WAITS = { firstMs: 250, longestMs: 4_000 };
const MAX_ATTEMPTS: Record<Lane, number> = { interactive: 3, bulk: 2 };
const MAX_RATE_LIMITED = 5;

/**
 * Returns the backoff before the client itself retries a failed call, in milliseconds; null if the
 * caller decides. 0 after a 429, because the throttle holds the call back. The bulk lane, which is
 * patient, counts its 429s apart from other failures.
 */
export function retryDelay(
  { lane, elapsedMs, earlier }: CallHistory,
  error: ServiceError,
  fraction: number,
): number | null {
  if (error.retry === 'never' || !isServiceFailure(error)) return null;
  // An account gets no room within seconds, and an upload is repeated whole.
  if (error.code === 'SERVICE_FULL') return null;
  const isHeld = (one: ServiceError) => lane === 'bulk' && isRateLimited(one);
  const attempts = 1 + earlier.filter((one) => isHeld(one) === isHeld(error)).length;
  if (isHeld(error)) {
    const soon = (error.retryAfterMs ?? 0) <= PATIENCE_MS.bulk;
    return soon && attempts <= MAX_RATE_LIMITED ? 0 : null;
  }
  if (attempts >= MAX_ATTEMPTS[lane]) return null;
  const delay = backoff(attempts, { ...WAITS, fraction, atLeastMs: error.retryAfterMs });
  const spent = lane === 'interactive' ? elapsedMs : 0;
  if (spent + delay > PATIENCE_MS[lane]) return null;
  return isRateLimited(error) ? 0 : delay;
}
