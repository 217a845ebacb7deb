import { type Logger as BoltLogger, LogLevel, webApi } from '@slack/bolt';
import { believedWait, type Logger, PigeonholeError } from '../base/index.ts';
import { codeOf, SlackCallError } from './errors.ts';

/**
 * Options of every Web API client. One try a call: the caller knows whether a repeat is safe (a
 * message posted twice is not) and when; a 429 comes back at once instead of holding up the
 * client's other calls. `fetch` carries the calls.
 */
export function webClientOptions(
  slackApiUrl: string,
  logger: Logger,
  fetch = globalThis.fetch,
): webApi.WebClientOptions {
  return {
    slackApiUrl,
    fetch,
    logger: slackLogger(logger),
    timeout: 10_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
}

/**
 * Our logger in the shape that Bolt wants. Bolt's debug lines hold whole requests, with response
 * addresses and trigger identifiers: they are dropped, and its information lines are our debug.
 */
export function slackLogger(logger: Logger): BoltLogger {
  const describe = (part: unknown) => (part instanceof Error ? part.message : String(part));
  const join = (parts: unknown[]) => parts.map(describe).join(' ');
  return {
    debug: () => undefined,
    info: (...parts) => logger.debug(join(parts)),
    warn: (...parts) => logger.warn(join(parts)),
    error: (...parts) => logger.error(join(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}

/** Runs one Web API call and turns its failure into a SlackCallError. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toCallError(method, error);
  }
}

/** What a call of a method, or a connection that it was for, failed with. */
export function toCallError(method: string, error: unknown): SlackCallError {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const retryAfterMs = believedWait(error.retryAfter * 1000);
    const message = `${method}: wait ${error.retryAfter} s`;
    return new SlackCallError('SLACK_RATE_LIMITED', message, { retryAfterMs });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const reason = String(error.data.error).slice(0, 100);
    return new SlackCallError(codeOf(reason), `${method}: ${reason}`, { reason });
  }
  // The original carries the request, token included: only its words are kept.
  return new SlackCallError('SLACK_UNREACHABLE', `${method}: ${wordsOf(error)}`);
}

// The reason of a failed connection stands in the innermost cause.
function wordsOf(error: unknown): string {
  if (error === undefined) return 'the connection ended';
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return error.cause instanceof Error ? wordsOf(error.cause) : `${error.message}${code}`;
}

/** CONFIG_INVALID: why a call of the start failed, and which setting to look at. */
export function startProblem(setting: string, error: unknown): PigeonholeError {
  const why = error instanceof Error ? error.message : String(error);
  const isRefused = error instanceof SlackCallError && error.code === 'SLACK_REFUSED';
  const advice = isRefused
    ? `Slack does not accept ${setting} (${error.reason}). Copy it again from your app at api.slack.com/apps.`
    : `Slack cannot be reached (${why}). Check the network, and SLACK_API_URL if it is set.`;
  return new PigeonholeError('CONFIG_INVALID', advice, { cause: error });
}

/**
 * Waits for the turn of the next read, and at least `atLeastMs` milliseconds. Rejects when the reading
 * is to end.
 */
export type Turn = (atLeastMs?: number) => Promise<void>;

/** How long to wait before each further try, in milliseconds, unless Slack says. */
const PAUSES_MS = [1_000, 4_000, 15_000];
/** When Slack asks to wait longer than this, the caller decides, in milliseconds. */
const LONGEST_WAIT_MS = 2 * 60_000;

/**
 * Makes one call that only reads, each try in its turn. What fails for a transient reason is tried
 * again, up to four times in all, as long after as Slack asks. Rejects with the last SlackCallError.
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

/** All pages of a list that Slack gives in pages (https://docs.slack.dev/apis/web-api/pagination). */
export async function* pagesOf<P extends { response_metadata?: { next_cursor?: string } }>(
  readPage: (at: { cursor?: string }) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor ? { cursor } : {});
    yield page;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
}
