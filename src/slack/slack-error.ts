import { type ErrorCode, PigeonholeError } from '../base/index.ts';

export type SlackFileErrorCode = Extract<ErrorCode, `SLACK_FILE_${string}`>;

/** A Slack file that could not be read, or not now. */
export class SlackFileError extends PigeonholeError {
  declare readonly code: SlackFileErrorCode;
  readonly retry: 'later' | 'never';
  readonly retryAfterMs: number | undefined;

  constructor(
    code: SlackFileErrorCode,
    message: string,
    options: { retry: 'later' | 'never'; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(code, message, { cause: options.cause });
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export type SlackCallErrorCode = 'SLACK_RATE_LIMITED' | 'SLACK_REFUSED' | 'SLACK_UNREACHABLE';

/** A call of Slack's Web API that failed. */
export class SlackCallError extends PigeonholeError {
  declare readonly code: SlackCallErrorCode;
  /** Slack's own word, as `channel_not_found`; empty when there was no answer. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: SlackCallErrorCode,
    message: string,
    options: { reason?: string; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(code, message, { cause: options.cause });
    this.reason = options.reason ?? '';
    this.retryAfterMs = options.retryAfterMs;
  }
}
