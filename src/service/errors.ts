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
  return error instanceof ServiceError && error.code === 'SERVICE_RATE_LIMITED';
}

/** Whether `error` only means that one person has used up their share of slots for now. */
export function isPersonLimit(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SERVICE_PERSON_LIMIT';
}

/** Whether our own limit held the request back, so that it says nothing of the service. */
export function isHeldBack(error: unknown): error is ServiceError {
  return isLimitAway(error) || (isRateLimited(error) && error.sent === 'no');
}

/** Whether `error` means that no slot came free in time although no 429 holds all calls. */
export function foundNoSlot(error: unknown): boolean {
  // A hold names a longer wait, unless it is about to end.
  return isLimitAway(error) || (isHeldBack(error) && error.retryAfterMs === MIN_WAIT_MS);
}

function isLimitAway(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_LIMIT_AWAY';
}

const NOT_OF_SERVICE: readonly ServiceErrorCode[] = [
  'SERVICE_LIMIT_AWAY',
  'SERVICE_PERSON_LIMIT',
  'SERVICE_STOPPED',
];

/** Whether `error` is about the service, not about what this process or a person may send. */
export function isServiceFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !NOT_OF_SERVICE.includes(error.code);
}

/** Resolves like the answer; to null if the call fails with one of these codes. */
export function unlessCode<T>(
  answer: Promise<T>,
  codes: readonly ServiceErrorCode[],
): Promise<T | null> {
  return orNull(answer, (error) => error instanceof ServiceError && codes.includes(error.code));
}
