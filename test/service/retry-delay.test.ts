import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CallHistory, nextDelay, retryDelay } from '../../src/service/requests/retry-delay.ts';
import {
  ServiceError,
  type ServiceErrorDetails,
} from '../../src/service/requests/service-error.ts';

function failed(details: Partial<ServiceErrorDetails> = {}): ServiceError {
  return new ServiceError('SERVICE_FAILED', 'failed', { retry: 'later', sent: 'yes', ...details });
}

const limited = (retryAfterMs: number) =>
  new ServiceError('SERVICE_RATE_LIMITED', 'limited', { retry: 'later', sent: 'no', retryAfterMs });

function history(fields: Partial<CallHistory> = {}): CallHistory {
  return { lane: 'bulk', elapsedMs: 0, attempts: 1, rateLimited: 0, ...fields };
}

describe('retryDelay', () => {
  test.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [10, 8_000],
    [2_000, 8_000],
  ])('after attempt %i waits up to %i ms', (attempt, most) => {
    expect(retryDelay({ attempt, error: failed(), fraction: 0 })).toBe(0);
    expect(retryDelay({ attempt, error: failed(), fraction: 0.999_999 })).toBe(most);
  });

  test('does not wait where repeating at once is fine', () => {
    expect(retryDelay({ attempt: 3, error: failed({ retry: 'now' }), fraction: 0.9 })).toBe(0);
  });

  test('never waits less than the service asked for', () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fraction, fc.nat(100_000), (attempt, f, ms) => {
        const delay = retryDelay({ attempt, error: failed({ retryAfterMs: ms }), fraction: f });
        expect(delay).toBeGreaterThanOrEqual(ms);
        expect(delay).toBeLessThanOrEqual(Math.max(ms, 8_000));
      }),
    );
  });
});

describe('nextDelay', () => {
  test.each<[string, CallHistory, ServiceError, number | null]>([
    ['bulk, first failure', history(), failed(), 250],
    ['bulk, second failure', history({ attempts: 2 }), failed(), null],
    ['bulk, long under way', history({ elapsedMs: 600_000 }), failed(), 250],
    ['bulk, asked to wait long', history(), failed({ retryAfterMs: 31_000 }), null],
    ['a person, second failure', history({ lane: 'interactive', attempts: 2 }), failed(), 500],
    ['a person, third failure', history({ lane: 'interactive', attempts: 3 }), failed(), null],
    [
      'a person, out of patience',
      history({ lane: 'interactive', elapsedMs: 7_800 }),
      failed(),
      null,
    ],
    ['never', history(), failed({ retry: 'never' }), null],
    ['bulk, rate limited', history({ attempts: 0, rateLimited: 5 }), limited(30_000), 0],
    ['bulk, rate limited long', history({ attempts: 0, rateLimited: 1 }), limited(30_001), null],
    ['bulk, rate limited too often', history({ attempts: 0, rateLimited: 6 }), limited(1), null],
    ['a person, rate limited', history({ lane: 'interactive', rateLimited: 1 }), limited(7_900), 0],
    [
      'a person, rate limited long',
      history({ lane: 'interactive', rateLimited: 1 }),
      limited(8_001),
      null,
    ],
    [
      'a person who asked for too much',
      history({ lane: 'interactive' }),
      new ServiceError('SERVICE_SHARE_USED', 'used', { retry: 'later', sent: 'no' }),
      null,
    ],
    [
      'stopped',
      history(),
      new ServiceError('SERVICE_STOPPED', 'stopped', { retry: 'later', sent: 'no' }),
      null,
    ],
  ])('%s', (_what, given, error, expected) => {
    expect(nextDelay(given, error, 0.5)).toBe(expected);
  });
});
