import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceErrorDetails } from '../../src/service/errors.ts';
import { type CallHistory, retryDelay } from '../../src/service/retry-delay.ts';

function failed(details: Partial<ServiceErrorDetails> = {}): ServiceError {
  return new ServiceError('SERVICE_FAILED', 'failed', { retry: 'later', sent: 'yes', ...details });
}

const limited = (retryAfterMs: number) =>
  new ServiceError('SERVICE_RATE_LIMITED', 'limited', { retry: 'later', sent: 'no', retryAfterMs });

function history(fields: Partial<CallHistory> = {}): CallHistory {
  return { lane: 'bulk', elapsedMs: 0, earlier: [], ...fields };
}

describe('retryDelay', () => {
  test.each<[string, CallHistory, ServiceError, number | null]>([
    ['bulk, first failure', history(), failed(), 250],
    ['bulk, asked to wait', history(), failed({ retryAfterMs: 3_000 }), 3_000],
    [
      'bulk, first failure after 429s',
      history({ earlier: Array(5).fill(limited(1)) }),
      failed(),
      250,
    ],
    ['bulk, rate limited after a failure', history({ earlier: [failed()] }), limited(1), 0],
    ['bulk, second failure', history({ earlier: [failed()] }), failed(), null],
    ['bulk, long under way', history({ elapsedMs: 600_000 }), failed(), 250],
    ['bulk, asked to wait long', history(), failed({ retryAfterMs: 31_000 }), null],
    [
      'a person, second failure',
      history({ lane: 'interactive', earlier: [failed()] }),
      failed(),
      500,
    ],
    [
      'a person, third failure',
      history({ lane: 'interactive', earlier: [failed(), failed()] }),
      failed(),
      null,
    ],
    [
      'a person, out of patience',
      history({ lane: 'interactive', elapsedMs: 7_800 }),
      failed(),
      null,
    ],
    ['never', history(), failed({ retry: 'never' }), null],
    ['bulk, rate limited', history({ earlier: Array(4).fill(limited(1)) }), limited(30_000), 0],
    ['bulk, rate limited long', history(), limited(30_001), null],
    [
      'bulk, rate limited too often',
      history({ earlier: Array(5).fill(limited(1)) }),
      limited(1),
      null,
    ],
    ['a person, rate limited', history({ lane: 'interactive' }), limited(7_900), 0],
    ['a person, rate limited long', history({ lane: 'interactive' }), limited(8_001), null],
    [
      'stopped',
      history(),
      new ServiceError('SERVICE_STOPPED', 'stopped', { retry: 'later', sent: 'no' }),
      null,
    ],
  ])('returns the right delay for: %s', (_what, given, error, expected) => {
    expect(retryDelay(given, error, 0.5)).toBe(expected);
  });
});
