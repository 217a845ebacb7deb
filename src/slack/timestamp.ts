/** A time of ours, in epoch milliseconds, as Slack writes timestamps. */
export function slackTs(ms: number): string {
  return (ms / 1000).toFixed(6);
}

/** Whether a message came after another, by their timestamps: all are of one length, so they sort as text. */
export function isAfter(ts: string, other: string): boolean {
  return ts > other;
}

/**
 * How far before a moment of ours a message of that moment may be stamped: events may come late, and
 * Slack's clock may be up to five minutes behind ours.
 */
const OVERLAP_MS = 6 * 60_000;

/** Earlier than the timestamp of any message of `ms` or later, whatever the clocks say. */
export function slackTsBefore(ms: number): string {
  return slackTs(ms - OVERLAP_MS);
}
