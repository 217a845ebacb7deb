import { callSlack } from './call-slack.ts';
import { SlackCallError } from './slack-error.ts';

/**
 * Waits for the turn of the next read, and at least `atLeastMs` milliseconds. Rejects when the reading
 * is to end.
 */
export type Turn = (atLeastMs?: number) => Promise<void>;

/** How long to wait before each further try, in milliseconds, unless Slack says. */
const PAUSES_MS = [1_000, 4_000, 15_000];
/** Who is asked to wait longer than this is told of it instead, in milliseconds. */
const LONGEST_WAIT_MS = 2 * 60_000;

/**
 * Makes one call that only reads, each try in its turn. What fails for the moment is tried again, up to
 * four times in all, as long after as Slack asks. Rejects with the last SlackCallError.
 */
export async function readSlack<T>(method: string, call: () => Promise<T>, turn: Turn): Promise<T> {
  let waitMs = 0;
  for (let tried = 1; ; tried += 1) {
    await turn(waitMs);
    try {
      return await callSlack(method, call);
    } catch (error) {
      const pauseMs = pauseAfter(error, tried);
      if (pauseMs === null) throw error;
      waitMs = pauseMs;
    }
  }
}

/** How long to wait before a failed read is tried again, in milliseconds; null when it is not. */
function pauseAfter(error: unknown, tried: number): number | null {
  const pauseMs = PAUSES_MS[tried - 1];
  if (pauseMs === undefined || !(error instanceof SlackCallError)) return null;
  if (error.code === 'SLACK_REFUSED') return null;
  const waitMs = error.retryAfterMs ?? pauseMs;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : null;
}
