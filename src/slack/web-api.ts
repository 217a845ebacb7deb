import { type Logger as BoltLogger, LogLevel, webApi } from '@slack/bolt';
import { believedWait, type Logger, PigeonholeError, wasNotSent } from '../base/index.ts';

export type SlackCallErrorCode = 'SLACK_RATE_LIMITED' | 'SLACK_REFUSED' | 'SLACK_UNREACHABLE';

/** A call of Slack's Web API that failed. */
export class SlackCallError extends PigeonholeError {
  declare readonly code: SlackCallErrorCode;
  /** Slack's own word, as `channel_not_found`; empty when there was no answer. */
  readonly reason: string;
  /** False where it may have been done all the same: its answer did not come, or does not say. */
  readonly notDone: boolean;

  /** `unsent`: there was no connection to send it on. */
  constructor(
    code: SlackCallErrorCode,
    message: string,
    details: { reason?: string; retryAfterMs?: number | undefined; unsent?: boolean } = {},
  ) {
    const { reason = '', retryAfterMs, unsent = false } = details;
    super(code, message, { retryAfterMs });
    this.reason = reason;
    const isTold = reason !== '' && !UNTOLD.has(reason);
    this.notDone = unsent || isTold || code !== 'SLACK_UNREACHABLE';
  }
}

/** Slack's own words for trouble that passes: no refusals. */
const TRANSIENT: Record<string, SlackCallErrorCode> = {
  fatal_error: 'SLACK_UNREACHABLE',
  internal_error: 'SLACK_UNREACHABLE',
  ratelimited: 'SLACK_RATE_LIMITED',
  request_timeout: 'SLACK_UNREACHABLE',
  service_unavailable: 'SLACK_UNREACHABLE',
};

/**
 * Errors of which Slack says that the call may have succeeded in part, as of
 * https://docs.slack.dev/reference/methods/chat.postEphemeral.
 */
const UNTOLD: ReadonlySet<string> = new Set(['fatal_error', 'internal_error']);

/** The code for Slack's word: what is not known to be transient is a refusal. */
export function codeOf(reason: string): SlackCallErrorCode {
  return TRANSIENT[reason] ?? 'SLACK_REFUSED';
}

// Refusals that stay until somebody changes the app, the channel or the message: of
// https://docs.slack.dev/reference/methods/conversations.history, chat.postMessage, chat.update and
// chat.delete.
const PERMANENT = new Set([
  'access_denied',
  'account_inactive',
  'cant_delete_message',
  'cant_update_message',
  'channel_not_found',
  'edit_window_closed',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'invalid_blocks',
  'is_archived',
  'method_not_supported_for_channel_type',
  'missing_scope',
  'msg_too_long',
  'no_permission',
  'not_allowed_token_type',
  'not_in_channel',
  'restricted_action',
  'restricted_action_thread_locked',
  'team_access_not_granted',
  'thread_not_found',
]);

/** Whether a call failed for a reason that no later try mends. Everything else may pass. */
export function isPermanent(error: unknown): boolean {
  return error instanceof SlackCallError && PERMANENT.has(error.reason);
}

/** Whether Slack refused a call, and not for trouble that passes by itself. */
export function isRefused(error: unknown): error is SlackCallError {
  return error instanceof SlackCallError && error.code === 'SLACK_REFUSED';
}

/** Where Slack says no time. */
const RATE_LIMITED_MS = 30_000;

/** For how long Slack asks to wait before the method is called again; null: it asks for nothing. */
export function askedToWaitMs(error: unknown): number | null {
  if (!(error instanceof SlackCallError) || error.code !== 'SLACK_RATE_LIMITED') return null;
  return error.retryAfterMs ?? RATE_LIMITED_MS;
}

/** Whether a call was surely not carried out, and may be later. */
export function mayBeRepeated(error: unknown): boolean {
  return error instanceof SlackCallError && error.notDone && !isRefused(error);
}

/** What a call resolves to; null where Slack refuses it. */
export async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}

export interface WebClientOptions {
  slackApiUrl: string;
  logger: Logger;
  /** What carries calls to Slack. */
  fetch: webApi.FetchFunction;
}

/**
 * Options of every Web API client. One try a call: the caller knows whether a repeat is safe (a
 * message posted twice is not) and when; a 429 comes back at once instead of holding up the
 * client's other calls.
 */
export function webClientOptions({
  slackApiUrl,
  logger,
  fetch,
}: WebClientOptions): webApi.WebClientOptions {
  return {
    slackApiUrl,
    fetch,
    logger: slackLogger(logger),
    timeout: 10_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
}

/** What Slack's clients log of a call that they reject as well: who called decides what it means. */
const REJECTED_TOO = /^(http request failed|Failed to retrieve a new WSS URL)/;

/**
 * Our logger in the shape that Bolt wants. Bolt's debug lines hold whole requests, with response
 * addresses and trigger identifiers: they are dropped. Its information lines are our debug, and so is
 * what its clients both log and reject with.
 */
export function slackLogger(logger: Logger): BoltLogger {
  const describe = (part: unknown) => (part instanceof Error ? part.message : String(part));
  const write = (level: 'debug' | 'warn' | 'error', parts: unknown[]) => {
    const line = parts.map(describe).join(' ');
    logger[REJECTED_TOO.test(line) ? 'debug' : level](line);
  };
  return {
    debug: () => undefined,
    info: (...parts) => write('debug', parts),
    warn: (...parts) => write('warn', parts),
    error: (...parts) => write('error', parts),
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
  const message = `${method}: ${wordsOf(error)}`;
  return new SlackCallError('SLACK_UNREACHABLE', message, { unsent: wasNotSent(error) });
}

// The reason of a failed connection stands in the innermost cause.
function wordsOf(error: unknown): string {
  if (error === undefined) return 'the connection ended';
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return error.cause instanceof Error ? wordsOf(error.cause) : `${error.message}${code}`;
}

type Token = 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN';

/** CONFIG_INVALID: why a call of the start failed, and what to do. */
export function startProblem(token: Token, error: unknown): PigeonholeError {
  return new PigeonholeError('CONFIG_INVALID', startAdvice(token, error), { cause: error });
}

function startAdvice(token: Token, error: unknown): string {
  if (isRefused(error))
    return `Slack does not accept ${token} (${error.reason}). ${tokenAdvice(token, error.reason)}`;
  const waitMs = askedToWaitMs(error);
  if (waitMs !== null)
    return `Slack asks to wait ${Math.ceil(waitMs / 1000)} s. Start Pigeonhole again after that.`;
  const why = error instanceof Error ? error.message : String(error);
  return `Slack cannot be reached (${why}). Check the network, and SLACK_API_URL if it is set.`;
}

// Words of https://docs.slack.dev/reference/methods/auth.test and apps.connections.open for a token
// that was good once, or is without what it is for: a copy of it is no better.
const NEEDS_ANOTHER = new Set([
  'account_inactive',
  'missing_scope',
  'token_expired',
  'token_revoked',
]);

function tokenAdvice(token: Token, reason: string): string {
  if (!NEEDS_ANOTHER.has(reason)) return 'Copy it again from your app at api.slack.com/apps.';
  return token === 'SLACK_BOT_TOKEN'
    ? 'Reinstall your app under Install App at api.slack.com/apps, and copy the new token.'
    : 'Generate an app-level token with connections:write under Basic Information of your app at api.slack.com/apps.';
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
