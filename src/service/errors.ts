import { type ErrorCode, type ErrorDetails, orNull, PigeonholeError } from '../base/index.ts';

export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

export interface ServiceErrorDetails extends ErrorDetails {
  retry: 'later' | 'never';
  /**
   * `no`: the request never left, so repeating it is safe. `yes`: the service answered with an
   * error; any effect the request had is complete. `unknown`: it may still take effect.
   */
  sent: 'no' | 'yes' | 'unknown';
  /** HTTP status of the response, if there was one. */
  status?: number | undefined;
  /** The service's error message, shortened to one line; absent if it sent none. */
  said?: string | undefined;
  /** The response's `Date` header, in milliseconds since the epoch; absent if it had none. */
  serviceTime?: number | undefined;
}

/** A failed call to the file service, with what a caller needs to decide about a retry. */
export class ServiceError extends PigeonholeError implements ServiceErrorDetails {
  declare readonly code: ServiceErrorCode;
  readonly sent: ServiceErrorDetails['sent'];
  readonly status: number | undefined;
  readonly said: string | undefined;
  readonly serviceTime: number | undefined;

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, details);
    this.sent = details.sent;
    this.status = details.status;
    this.said = details.said;
    this.serviceTime = details.serviceTime;
  }
}

const MIN_WAIT_MS = 1_000;

/** Returns the error for a call that was not sent; its `retryAfterMs` is at least one second. */
export function notSent(code: ServiceErrorCode, message: string, waitMs?: number): ServiceError {
  const retryAfterMs = waitMs === undefined ? undefined : Math.max(MIN_WAIT_MS, waitMs);
  return new ServiceError(code, message, { retry: 'later', sent: 'no', retryAfterMs });
}

/** Whether `error` means that the service, or our own limit, lets nothing through for now. */
export function isRateLimited(error: unknown): error is ServiceError {
  return hasCode(error, ['SERVICE_RATE_LIMITED']);
}

/** Whether our own limit held the request back, so that it says nothing of the service. */
export function isHeldBack(error: unknown): error is ServiceError {
  return hasCode(error, ['SERVICE_LIMIT_AWAY']) || (isRateLimited(error) && error.sent === 'no');
}

const NOT_OF_SERVICE: readonly ServiceErrorCode[] = ['SERVICE_LIMIT_AWAY', 'SERVICE_STOPPED'];

/** Whether `error` is about the service, not about what this process may send. */
export function isServiceFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !NOT_OF_SERVICE.includes(error.code);
}

const DOWN: readonly ServiceErrorCode[] = [
  'SERVICE_BAD_ANSWER',
  'SERVICE_FAILED',
  'SERVICE_TIMEOUT',
  'SERVICE_UNREACHABLE',
];

/** Whether `error` means that the service does not answer, or not with what was asked for. */
export function isDown(error: unknown): boolean {
  return hasCode(error, DOWN);
}

/** Resolves like the answer; to null if the call fails with one of these codes. */
export function unlessCode<T>(
  answer: Promise<T>,
  codes: readonly ServiceErrorCode[],
): Promise<T | null> {
  return orNull(answer, (error) => hasCode(error, codes));
}

function hasCode(error: unknown, codes: readonly ServiceErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && codes.includes(error.code);
}
