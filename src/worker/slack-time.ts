/**
 * How far before a moment of ours a message of that moment may be stamped: events may come late, and
 * Slack's clock may be up to five minutes behind ours.
 */
const OVERLAP_MS = 6 * 60_000;

/** A time of ours as Slack writes timestamps: all are of one length, so they sort as text. */
export function slackTs(ms: number): string {
  return (ms / 1000).toFixed(6);
}

/** What is stamped after this came surely after `ms`, or shortly before it. */
export function slackTsBefore(ms: number): string {
  return slackTs(ms - OVERLAP_MS);
}
