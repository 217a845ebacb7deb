import { type ErrorCode, PigeonholeError } from '../base/index.ts';

const SHORTEST_WAIT_MS = 1_000;

export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

export interface ServiceErrorDetails {
  /** `later`: repeating it after a wait may help; `never`: the same request fails again. */
  retry: 'later' | 'never';
  /**
   * `no`: it never left, so repeating it is safe. `yes`: it was answered with a refusal; whatever it
   * did all the same is done by now. `unknown`: it may still take effect.
   */
  sent: 'no' | 'yes' | 'unknown';
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** What the service asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The service's own words for it, on one line, shortened; absent when it said none. */
  said?: string | undefined;
  /** The service's clock at the answer (its `Date` header); absent when it told none. */
  serviceTime?: number | undefined;
  cause?: unknown;
}

/** A call to the file service that failed, with all that a caller may decide by. */
export class ServiceError extends PigeonholeError {
  declare readonly code: ServiceErrorCode;
  readonly retry: 'later' | 'never';
  readonly sent: 'no' | 'yes' | 'unknown';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly said: string | undefined;
  readonly serviceTime: number | undefined;

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, { cause: details.cause });
    this.retry = details.retry;
    this.sent = details.sent;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.said = details.said;
    this.serviceTime = details.serviceTime;
  }
}

/** The error of a call that was not sent; what it asks to wait is a second at the least. */
export function notSent(code: ServiceErrorCode, message: string, waitMs?: number): ServiceError {
  const retryAfterMs = waitMs === undefined ? undefined : Math.max(SHORTEST_WAIT_MS, waitMs);
  return new ServiceError(code, message, { retry: 'later', sent: 'no', retryAfterMs });
}
