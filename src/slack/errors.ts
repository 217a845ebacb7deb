import { type ErrorCode, PigeonholeError } from '../base/index.ts';

export type SlackFileErrorCode = Extract<ErrorCode, `SLACK_FILE_${string}`>;

/** The others say what a file is, or that somebody has to change something first. */
const TRANSIENT_FILE_CODES: ReadonlySet<SlackFileErrorCode> = new Set<SlackFileErrorCode>([
  'SLACK_FILE_UNAVAILABLE',
  'SLACK_FILE_NOT_FOUND',
  'SLACK_FILE_SIZE_MISMATCH',
]);

/** A Slack file that could not be read, or not now. */
export class SlackFileError extends PigeonholeError {
  declare readonly code: SlackFileErrorCode;
  readonly retry: 'later' | 'never';
  readonly retryAfterMs: number | undefined;

  constructor(code: SlackFileErrorCode, message: string, retryAfterMs?: number) {
    super(code, message);
    this.retry = TRANSIENT_FILE_CODES.has(code) ? 'later' : 'never';
    this.retryAfterMs = retryAfterMs;
  }
}

export type SlackCallErrorCode = 'SLACK_RATE_LIMITED' | 'SLACK_REFUSED' | 'SLACK_UNREACHABLE';

/** A call of Slack's Web API that failed. */
export class SlackCallError extends PigeonholeError {
  declare readonly code: SlackCallErrorCode;
  /** Slack's own word, as `channel_not_found`; empty when there was no answer. */
  readonly reason: string;
  /** What Slack asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: SlackCallErrorCode,
    message: string,
    { reason = '', retryAfterMs }: { reason?: string; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
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

/** The code for Slack's word: what is not known to be transient is a refusal. */
export function codeOf(reason: string): SlackCallErrorCode {
  return TRANSIENT[reason] ?? 'SLACK_REFUSED';
}

// Refusals that stay until somebody changes the app, the channel or the message: of
// https://docs.slack.dev/reference/methods/conversations.history, chat.postMessage and chat.update.
const PERMANENT = new Set([
  'access_denied',
  'account_inactive',
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
