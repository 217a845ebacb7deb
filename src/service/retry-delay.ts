import { backoff } from '../base/index.ts';
import { isServiceFailure, type ServiceError } from './errors.ts';
import { type Lane, PATIENCE_MS } from './throttle/limits.ts';

/** The failed attempts of a call so far. */
export interface CallHistory {
  lane: Lane;
  elapsedMs: number;
  /** Failed attempts, except those counted in `rateLimited`. */
  attempts: number;
  /** Rate-limited attempts in the bulk lane. */
  rateLimited: number;
}

const WAITS = { firstMs: 250, longestMs: 4_000 };
const MAX_ATTEMPTS: Record<Lane, number> = { interactive: 3, bulk: 2 };
const MAX_RATE_LIMITED = 5;

/**
 * Returns the backoff before the client itself retries a failed call, in milliseconds; null if the
 * caller decides. 0 after a 429, because the throttle holds the call back.
 */
export function retryDelay(
  { lane, elapsedMs, attempts, rateLimited }: CallHistory,
  error: ServiceError,
  fraction: number,
): number | null {
  if (error.retry === 'never' || !isServiceFailure(error)) return null;
  const limited = error.code === 'SERVICE_RATE_LIMITED';
  if (limited && lane === 'bulk') {
    const soon = (error.retryAfterMs ?? 0) <= PATIENCE_MS.bulk;
    return soon && rateLimited <= MAX_RATE_LIMITED ? 0 : null;
  }
  if (attempts >= MAX_ATTEMPTS[lane]) return null;
  const delay = backoff(attempts, { ...WAITS, fraction, atLeastMs: error.retryAfterMs });
  const spent = lane === 'interactive' ? elapsedMs : 0;
  if (spent + delay > PATIENCE_MS[lane]) return null;
  return limited ? 0 : delay;
}
