import { type ErrorCode, type ErrorDetails, neverLeft, PigeonholeError } from '../base/index.ts';

export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

export interface ServiceErrorDetails extends ErrorDetails {
  retry: 'later' | 'never';
  /**
   * `no`: it never left, so repeating it is safe. `yes`: it was answered with a refusal; whatever it
   * did all the same is done by now. `unknown`: it may still take effect.
   */
  sent: 'no' | 'yes' | 'unknown';
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** The service's own words for it, on one line, shortened; absent when it said none. */
  said?: string | undefined;
  /** The service's clock at the answer (its `Date` header); absent when it told none. */
  serviceTime?: number | undefined;
}

/** A call to the file service that failed, with all that a caller may decide by. */
export class ServiceError extends PigeonholeError implements ServiceErrorDetails {
  declare readonly code: ServiceErrorCode;
  readonly sent: ServiceErrorDetails['sent'];
  readonly status: number | undefined;
  readonly said: string | undefined;
  readonly serviceTime: number | undefined;

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, details);
    ({
      sent: this.sent,
      status: this.status,
      said: this.said,
      serviceTime: this.serviceTime,
    } = details);
  }
}

const SHORTEST_WAIT_MS = 1_000;

/** The error of a call that was not sent; what it asks to wait is a second at the least. */
export function notSent(code: ServiceErrorCode, message: string, waitMs?: number): ServiceError {
  const retryAfterMs = waitMs === undefined ? undefined : Math.max(SHORTEST_WAIT_MS, waitMs);
  return new ServiceError(code, message, { retry: 'later', sent: 'no', retryAfterMs });
}

/** Whether it says alone that one person has no call left just now. */
export function isShareUsed(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SERVICE_SHARE_USED';
}

// What axios and Node call an answer that cannot be unpacked or read, or is longer than any honest one.
const UNREADABLE = /^(Z_|HPE_|ERR__ERROR_)|maxContentLength/;

/**
 * The error for a request that ended without an answer. `cause` is a plain error with the code
 * alone: axios' own carries the whole request, with the key.
 */
export function transportError(request: string, error: unknown): ServiceError {
  const fault = error instanceof Error ? error : new Error('unknown fault');
  const inner = fault.cause instanceof Error ? fault.cause : fault;
  const code = codeOf(fault) || codeOf(inner);
  const message = fault.message || inner.message || 'no connection';
  const told = code && !message.includes(code) ? `${message} (${code})` : message;
  const details = {
    retry: 'later',
    sent: neverLeft(error) ? 'no' : 'unknown',
    cause: Object.assign(new Error(message), { code }),
  } as const;
  return UNREADABLE.test(code) || UNREADABLE.test(message)
    ? new ServiceError('SERVICE_BAD_ANSWER', `${request} was answered unreadably: ${told}`, details)
    : new ServiceError('SERVICE_UNREACHABLE', `${request} did not get through: ${told}`, details);
}

function codeOf(error: object): string {
  const value: unknown = Reflect.get(error, 'code');
  return typeof value === 'string' ? value : '';
}
