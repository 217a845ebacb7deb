import { ServiceError } from '../service-error.ts';

/** The error of a call that was not sent, because nobody may send for `waitMs` milliseconds. */
export function rateLimited(message: string, waitMs: number): ServiceError {
  return new ServiceError('SERVICE_RATE_LIMITED', message, {
    retry: 'later',
    sent: 'no',
    retryAfterMs: Math.max(1_000, waitMs),
  });
}
