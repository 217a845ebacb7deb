import { backoff, type Clock, type Random } from '../base/index.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { type Lane, PATIENCE_MS } from './throttle/throttle.ts';

export interface RetryOptions {
  lane: Lane;
  signal?: AbortSignal | undefined;
  clock: Clock;
  random: Random;
}

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
 * Repeats `attempt`, which must be safe to repeat, while it rejects with a ServiceError that may
 * pass soon. Any other rejection comes out as it is; but where the person has no call left for a
 * repetition (SERVICE_SHARE_USED), what made it necessary does.
 */
export async function withRetries<T>(
  { lane, signal, clock, random }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.now();
  const history: CallHistory = { lane, elapsedMs: 0, attempts: 0, rateLimited: 0 };
  let cause: ServiceError | null = null;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_SHARE_USED') throw cause ?? error;
      cause = error;
      const limited = error.code === 'SERVICE_RATE_LIMITED';
      if (limited) history.rateLimited += 1;
      if (!limited || lane === 'interactive') history.attempts += 1;
      history.elapsedMs = clock.now() - startedAt;
      const delay = nextDelay(history, error, random.fraction());
      if (delay === null) throw error;
      await clock.sleep(delay, signal);
    }
  }
}

const WAITS = { firstMs: 250, longestMs: 4_000 };
const MOST_ATTEMPTS: Record<Lane, number> = { interactive: 3, bulk: 2 };
const MOST_RATE_LIMITED = 5;
const FOR_THE_CALLER: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'SERVICE_SHARE_USED',
  'SERVICE_STOPPED',
]);

/**
 * How long to wait before the client itself tries a failed call again, in milliseconds; null when
 * it is for the caller to decide. After a 429 there is no wait: the throttle holds the call back,
 * or it is for the caller when that lasts longer than the lane's patience.
 */
export function nextDelay(
  { lane, elapsedMs, attempts, rateLimited }: CallHistory,
  error: ServiceError,
  fraction: number,
): number | null {
  if (error.retry === 'never' || FOR_THE_CALLER.has(error.code)) return null;
  const limited = error.code === 'SERVICE_RATE_LIMITED';
  if (limited && lane === 'bulk') {
    const soon = (error.retryAfterMs ?? 0) <= PATIENCE_MS.bulk;
    return soon && rateLimited <= MOST_RATE_LIMITED ? 0 : null;
  }
  if (attempts >= MOST_ATTEMPTS[lane]) return null;
  const delay = backoff(attempts, { ...WAITS, fraction, atLeastMs: error.retryAfterMs });
  const spent = lane === 'interactive' ? elapsedMs : 0;
  if (spent + delay > PATIENCE_MS[lane]) return null;
  return limited ? 0 : delay;
}
