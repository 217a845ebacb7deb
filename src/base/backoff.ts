interface Backoff {
  /** The wait after the first failure, in milliseconds, before it is spread. */
  firstMs: number;
  /** The longest wait, in milliseconds, before it is spread. */
  longestMs: number;
  /** A random number in [0, 1), so that equal waits end at different times. Default: 0.5, no spread. */
  fraction?: number;
  /** A requested minimum, in milliseconds, such as a `Retry-After`. Default: 0. */
  atLeastMs?: number | undefined;
}

/**
 * Returns the wait before the next try after a number of failures in a row, in milliseconds: it
 * doubles up to the longest, varies by half either way, and is never below the requested minimum.
 */
export function backoff(
  failures: number,
  { firstMs, longestMs, fraction = 0.5, atLeastMs = 0 }: Backoff,
): number {
  const grown = Math.min(longestMs, firstMs * 2 ** Math.max(0, Math.min(failures, 30) - 1));
  return Math.round(Math.max(atLeastMs, grown * (0.5 + fraction)));
}

/** The longest requested wait that is obeyed at a time, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * Returns how long to wait when `ms` milliseconds were requested, for example by a `Retry-After`: at
 * most ten minutes, after which a call finds out whether more is needed. Returns undefined if `ms` is
 * not a duration.
 */
export function cappedWait(ms: number): number | undefined {
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
