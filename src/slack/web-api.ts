import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Logger as BoltLogger, LogLevel, webApi } from '@slack/bolt';
import {
  askedToWaitMs,
  cappedWait,
  codeIn,
  createAgents,
  type Logger,
  messageOf,
  orNull,
  PigeonholeError,
  wasNotSent,
} from '../base/index.ts';

export type SlackCallErrorCode = 'SLACK_RATE_LIMITED' | 'SLACK_REFUSED' | 'SLACK_UNREACHABLE';

/** The wait when Slack asks for one without saying how long. */
const RATE_LIMITED_MS = 30_000;

/** A failed call of Slack's Web API. */
export class SlackCallError extends PigeonholeError {
  declare readonly code: SlackCallErrorCode;
  /** Slack's error code, such as `channel_not_found`; empty if there was no response. */
  readonly reason: string;
  /** Whether the call surely had no effect: it was not sent, or the response says so. */
  readonly hadNoEffect: boolean;

  /** `unsent`: there was no connection, so the call was not sent. */
  constructor(
    code: SlackCallErrorCode,
    message: string,
    details: { reason?: string; retryAfterMs?: number | undefined; unsent?: boolean } = {},
  ) {
    const { reason = '', unsent = false } = details;
    const retry = PERMANENT.has(reason) ? 'never' : 'later';
    const { retryAfterMs = code === 'SLACK_RATE_LIMITED' ? RATE_LIMITED_MS : undefined } = details;
    super(code, message, { retry, retryAfterMs });
    this.reason = reason;
    const saysNotDone = reason !== '' && !MAYBE_DONE.has(reason);
    this.hadNoEffect = unsent || saysNotDone || code !== 'SLACK_UNREACHABLE';
  }
}

/** Slack's error codes for transient trouble; they are no refusals. */
const TRANSIENT: Record<string, SlackCallErrorCode> = {
  fatal_error: 'SLACK_UNREACHABLE',
  internal_error: 'SLACK_UNREACHABLE',
  // Too many messages of the app, and of all members of a workspace on a free plan.
  message_limit_exceeded: 'SLACK_RATE_LIMITED',
  rate_limited: 'SLACK_RATE_LIMITED',
  ratelimited: 'SLACK_RATE_LIMITED',
  request_timeout: 'SLACK_UNREACHABLE',
  service_unavailable: 'SLACK_UNREACHABLE',
};

/**
 * Errors after which, according to Slack, the call may have succeeded in part
 * (https://docs.slack.dev/reference/methods/chat.postEphemeral).
 */
const MAYBE_DONE: ReadonlySet<string> = new Set(['fatal_error', 'internal_error']);

/** Returns our code for Slack's error: one that is not known as transient is a refusal. */
export function codeOf(reason: string): SlackCallErrorCode {
  return TRANSIENT[reason] ?? 'SLACK_REFUSED';
}

// Refusals that last until somebody changes the app, the channel or the message: errors of
// conversations.history, chat.postMessage, chat.update and chat.delete
// (https://docs.slack.dev/reference/methods).
const PERMANENT = new Set([
  'access_denied',
  'account_inactive',
  'cannot_reply_to_message',
  'cant_delete_message',
  'cant_update_message',
  'channel_not_found',
  'edit_window_closed',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'invalid_blocks',
  'is_archived',
  'is_inactive',
  'method_not_supported_for_channel_type',
  'missing_scope',
  'msg_too_long',
  'no_permission',
  'not_allowed_token_type',
  'not_in_channel',
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
  'restricted_action_thread_only_channel',
  'team_access_not_granted',
  'thread_not_found',
]);

/** Whether Slack refused a call for a reason that is not transient; with `reason`, for that one. */
export function isRefused(error: unknown, reason?: string): error is SlackCallError {
  const isRefusal = error instanceof SlackCallError && error.code === 'SLACK_REFUSED';
  return isRefusal && (reason === undefined || error.reason === reason);
}

/** Whether a call surely had no effect and may be retried. */
export function mayBeRepeated(error: unknown): boolean {
  return error instanceof SlackCallError && error.hadNoEffect && !isRefused(error);
}

/** Resolves like the answer; to null if Slack refuses the call: see isRefused. */
export function unlessRefused<T>(answer: Promise<T>, reason?: string): Promise<T | null> {
  return orNull(answer, (error) => isRefused(error, reason));
}

/** Resolves with why a call to Slack failed; null if it succeeded. Rejects with any other error. */
export async function failureOf(call: Promise<unknown>): Promise<SlackCallError | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof SlackCallError) return error;
    throw error;
  }
}

/**
 * Sends one request over the network; follows no redirect. Resolves with the response, its body still
 * to be read. `timeout` is the longest silence of the connection, in milliseconds.
 */
export function sendRequest(
  url: URL,
  options: RequestOptions,
  body = '',
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    const { timeout } = options;
    // Without one, this event comes from the agent, whose timeout is for idle connections.
    if (timeout !== undefined)
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no byte came for ${timeout} ms`)));
    outgoing.on('error', reject).end(body);
  });
}

const { httpAgent, httpsAgent } = createAgents();

export type WebFetch = webApi.FetchFunction;

/**
 * Sends calls to Slack over its own connections. It implements as much of the global fetch as they
 * need, at less than half of its processor time: request bodies are text, responses are read whole,
 * and no redirect is followed.
 */
export const slackFetch: WebFetch = async (address, { body = '', signal, ...init } = {}) => {
  if (typeof body !== 'string') throw new TypeError('only text is sent to Slack');
  const url = new URL(address);
  const agent = url.protocol === 'https:' ? httpsAgent : httpAgent;
  const response = await sendRequest(url, { ...init, agent, ...(signal && { signal }) }, body);
  const content = await text(response);
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    url: url.href,
    headers: {
      get: (name) => headers[name.toLowerCase()]?.toString() ?? null,
      entries: () => Object.entries(headers).map(([name, value]) => [name, String(value)]),
    },
    text: async () => content,
    json: async () => JSON.parse(content),
    arrayBuffer: async () => new TextEncoder().encode(content).buffer,
  };
};

export interface WebClientOptions {
  slackApiUrl: string;
  logger: Logger;
  fetch: WebFetch;
}

/** The longest wait for a response of Slack, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Returns the options of every Web API client. Calls are not retried: the caller knows whether and
 * when a retry is safe (posting a message twice is not). A 429 rejects at once instead of delaying
 * the client's other calls.
 */
export function webClientOptions(options: WebClientOptions): webApi.WebClientOptions {
  const { slackApiUrl, logger, fetch } = options;
  return {
    slackApiUrl,
    // Bolt sends answers to a response_url with this function, too, and has no timeout for them.
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    logger: slackLogger(logger),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
}

/** Log lines of Slack's clients about calls that also reject: the caller decides what they mean. */
const REJECTED_TOO = /^(http request failed|Failed to retrieve a new WSS URL)/;

/**
 * Adapts our logger to Bolt. Drops Bolt's debug lines, which hold whole requests with response URLs
 * and trigger IDs. Logs at debug level its info lines, and its clients' lines about calls that also
 * reject.
 */
export function slackLogger(logger: Logger): BoltLogger {
  const write = (level: 'debug' | 'warn' | 'error', parts: unknown[]) => {
    const line = parts.map(messageOf).join(' ');
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

/** A client of Slack's Web API whose failed calls reject with SlackCallError. */
export class SlackClient extends webApi.WebClient {
  override async apiCall(method: string, options?: Record<string, unknown>) {
    return super.apiCall(method, options).catch((error: unknown) => {
      throw toCallError(method, error);
    });
  }
}

/** Returns the SlackCallError for a failed call of a method, or for the connection it was to open. */
export function toCallError(method: string, error: unknown): SlackCallError {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const retryAfterMs = cappedWait(error.retryAfter * 1000);
    const message = `${method}: wait ${error.retryAfter} s`;
    return new SlackCallError('SLACK_RATE_LIMITED', message, { retryAfterMs });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const { error: reason = '' } = error.data;
    if (!REASON.test(reason)) return unreadable(method);
    return new SlackCallError(codeOf(reason), `${method}: ${reason}`, { reason });
  }
  // The original error holds the request with its token, so only its message is kept.
  const message = `${method}: ${wordsOf(error)}`;
  return new SlackCallError('SLACK_UNREACHABLE', message, { unsent: wasNotSent(error) });
}

/** The form of Slack's error codes; Slack's client takes any text in their place for one. */
const REASON = /^[\w.:-]{1,100}$/;

/** Returns the error for an answer that is not Slack's, but that of a proxy or of another server. */
export function unreadable(method: string): SlackCallError {
  return new SlackCallError('SLACK_UNREACHABLE', `${method}: what came is no answer of Slack’s`);
}

// The innermost cause has the reason of a failed connection.
function wordsOf(error: unknown): string {
  if (error === undefined) return 'the connection ended';
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return wordsOf(error.cause);
  const { message } = error;
  const code = codeIn(error);
  return message.includes(code) ? message : `${message} (${code})`;
}

type Token = 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN';

/** Returns CONFIG_INVALID with why a call at the start failed, and what to do. */
export function startProblem(token: Token, error: unknown): PigeonholeError {
  return new PigeonholeError('CONFIG_INVALID', startAdvice(token, error), { cause: error });
}

function startAdvice(token: Token, error: unknown): string {
  if (isRefused(error))
    return `Slack does not accept ${token} (${error.reason}). ${tokenAdvice(token, error.reason)}`;
  const waitMs = askedToWaitMs(error);
  if (waitMs !== null)
    return `Slack asks to wait ${Math.ceil(waitMs / 1000)} s. Start Pigeonhole again after that.`;
  return `There is no usable answer from Slack (${messageOf(error)}). Check the network, and SLACK_API_URL if it is set.`;
}

// Errors of auth.test and apps.connections.open (https://docs.slack.dev/reference/methods) for a token
// that was revoked or lacks a scope: copying it again would not help.
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
