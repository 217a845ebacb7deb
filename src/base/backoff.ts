interface Backoff {
  /** The wait after the first failure, in milliseconds, before it is spread. */
  firstMs: number;
  /** The longest wait, in milliseconds, before it is spread. */
  longestMs: number;
  /** Chance, in [0, 1), so that waits of the same length end apart. */
  fraction: number;
  /** What was asked for, in milliseconds: the wait is never under it. Default: 0. */
  atLeastMs?: number | undefined;
}

/**
 * The wait before the next try after so many failures in a row, in milliseconds: doubles up to the
 * longest, spread by half either way, and never under what was asked for.
 */
export function backoff(
  failures: number,
  { firstMs, longestMs, fraction, atLeastMs = 0 }: Backoff,
): number {
  const grown = Math.min(longestMs, firstMs * 2 ** Math.max(0, Math.min(failures, 30) - 1));
  return Math.round(Math.max(atLeastMs, grown * (0.5 + fraction)));
}

/** The longest that somebody who asks us to wait is believed at a time, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * How long to wait where `ms` milliseconds were asked for, for example by a `Retry-After`: at most ten
 * minutes, then a call finds out whether more is needed. Undefined for what is no length of time.
 */
export function believedWait(ms: number): number | undefined {
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
