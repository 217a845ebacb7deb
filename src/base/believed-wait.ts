/** The longest that who asks us to wait is believed at a time, in milliseconds. */
export const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * How long to wait where `ms` milliseconds were asked for, by a `Retry-After` for one: ten minutes at
 * the most, then a call finds out whether more is needed. Undefined for what is no length of time.
 */
export function believedWait(ms: number): number | undefined {
  return ms >= 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}
