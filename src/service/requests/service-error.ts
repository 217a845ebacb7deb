import { type ErrorCode, PigeonholeError } from '../../base/index.ts';

export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

export interface ServiceErrorDetails {
  /** `now`: repeating at once is fine; `later`: after a wait; `never`: the same request fails again. */
  retry: 'now' | 'later' | 'never';
  /** Whether the request reached the service: only `no` makes repeating a create safe. */
  sent: 'no' | 'yes' | 'unknown';
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** What the service asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The service's own words for it, on one line, shortened; absent when it said none. */
  said?: string | undefined;
  cause?: unknown;
}

/** A call to the file service that failed, with all that a caller may decide by. */
export class ServiceError extends PigeonholeError {
  declare readonly code: ServiceErrorCode;
  readonly retry: 'now' | 'later' | 'never';
  readonly sent: 'no' | 'yes' | 'unknown';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly said: string | undefined;

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, { cause: details.cause });
    this.retry = details.retry;
    this.sent = details.sent;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.said = details.said;
  }
}
