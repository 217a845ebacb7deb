/** What Slack's clock and ours may differ by. */
const SKEW_MS = 5_000;

/** Slack's timestamp of the message from which on a channel's history counts, for a time of ours. */
export function historyFrom(ms: number): string {
  return ((ms - SKEW_MS) / 1000).toFixed(6);
}
