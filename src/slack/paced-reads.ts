import type { Clock } from '../base/index.ts';
import { callSlack, SlackCallError } from './web-api.ts';

/**
 * Resolves when the next call may go, `atLeastMs` milliseconds (default: 0) from now at the earliest, for
 * whoever comes next too. Rejects with the reason of `signal`, which ends this one wait.
 */
export type Pace = (atLeastMs?: number, signal?: AbortSignal) => Promise<void>;

/**
 * Spreads calls of one kind: each waits until `everyMs` after the one before it. Rejects with the
 * reason of `stopping` as well.
 */
export function createPace(everyMs: number, clock: Clock, stopping: AbortSignal): Pace {
  let next = 0;
  return async (atLeastMs = 0, signal) => {
    const ends = signal ? AbortSignal.any([stopping, signal]) : stopping;
    ends.throwIfAborted();
    const at = Math.max(next, clock.now() + atLeastMs);
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now(), ends);
  };
}

/** How long to wait before each further try, in milliseconds, unless Slack says. */
const PAUSES_MS = [1_000, 4_000, 15_000];
/** When Slack asks to wait longer than this, the caller decides, in milliseconds. */
const LONGEST_WAIT_MS = 2 * 60_000;

/**
 * Makes one call that only reads, each try in its pace. What fails for a transient reason is tried
 * again, up to four times in all, as long after as Slack asks. Rejects with the last SlackCallError.
 */
export async function readSlack<T>(method: string, call: () => Promise<T>, pace: Pace): Promise<T> {
  let waitMs = 0;
  for (let tried = 1; ; tried += 1) {
    await pace(waitMs);
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
