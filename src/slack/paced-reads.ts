import { type Clock, unlessAborted } from '../base/index.ts';
import { SlackCallError } from './web-api.ts';

/**
 * Resolves when the next call may be sent, at the earliest in `atLeastMs` milliseconds; later callers
 * wait for that too. Rejects with the signal's reason, which ends this wait only.
 */
export type Pace = (atLeastMs: number, signal: AbortSignal) => Promise<void>;

/** Spaces calls of one kind: each waits until `everyMs` after the one before. */
export function createPace(everyMs: number, clock: Clock): Pace {
  let next = 0;
  return async (atLeastMs, signal) => {
    signal.throwIfAborted();
    const now = clock.now();
    const at = Math.max(next, now + atLeastMs);
    next = at + everyMs;
    if (at > now) await clock.sleep(at - now, signal);
  };
}

/** The paces of Slack's methods that read history; threads, which cost most calls, have their own. */
export interface Paces {
  history: Pace;
  replies: Pace;
  channels: Pace;
}

export function createPaces(everyMs: number, clock: Clock): Paces {
  const history = createPace(everyMs, clock);
  return { history, channels: history, replies: createPace(everyMs, clock) };
}

export interface Pacing {
  /** Awaited before each call, to keep within Slack's limits. */
  pace: Pace;
  /** Ends the reading at once, without waiting for a running call. */
  signal: AbortSignal;
}

/**
 * Reads all pages of a paginated list (https://docs.slack.dev/apis/web-api/pagination), each like
 * readSlack if `pacing` is given, and else in one try. `at` is empty for the first page.
 */
export async function* pagesOf<P extends { response_metadata?: { next_cursor?: string } }>(
  readPage: (at: { cursor?: string }) => Promise<P>,
  pacing?: Pacing,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const at = cursor ? { cursor } : {};
    const page = await (pacing ? readSlack(() => readPage(at), pacing) : readPage(at));
    yield page;
    pacing?.signal.throwIfAborted();
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
}

/** The wait before each retry, in milliseconds, unless Slack names one. */
const PAUSES_MS = [1_000, 4_000, 15_000];
/** When Slack asks to wait longer than this, the caller decides, in milliseconds. */
const MAX_PAUSE_MS = 2 * 60_000;

/**
 * Makes one reading call, each try at the given pace. Retries transient failures, up to four tries in
 * all, after the wait that Slack asks for. Rejects with the last SlackCallError, or with the signal's
 * reason.
 */
async function readSlack<T>(call: () => Promise<T>, { pace, signal }: Pacing): Promise<T> {
  let waitMs = 0;
  for (let tried = 1; ; tried += 1) {
    await pace(waitMs, signal);
    signal.throwIfAborted();
    try {
      return await unlessAborted(call(), signal);
    } catch (error) {
      const pauseMs = pauseAfter(error, tried);
      if (pauseMs === null) throw error;
      waitMs = pauseMs;
    }
  }
}

/** Returns the wait before a failed read is retried, in milliseconds; null if it is not retried. */
function pauseAfter(error: unknown, tried: number): number | null {
  const pauseMs = PAUSES_MS[tried - 1];
  const isTransient = error instanceof SlackCallError && error.code !== 'SLACK_REFUSED';
  if (pauseMs === undefined || !isTransient) return null;
  const waitMs = error.retryAfterMs ?? pauseMs;
  return waitMs <= MAX_PAUSE_MS ? waitMs : null;
}
