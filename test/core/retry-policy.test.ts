import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import {
  failingSince,
  isWorthAnotherTry,
  nextTryDelay,
  toldProblem,
} from '../../src/core/index.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

describe('the backoff before the next attempt', () => {
  it('doubles from five seconds to an hour', () => {
    const waits = [1, 2, 3, 4, 20, 1_000].map((failures) => nextTryDelay(failures, 0.5));
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, HOUR, HOUR]);
  });

  it('is spread by half either way', () => {
    expect([nextTryDelay(1, 0), nextTryDelay(1, 0.999)]).toEqual([2_500, 7_495]);
  });

  it('is never shorter than what the service asked for', () => {
    expect(nextTryDelay(1, 0, 60_000)).toBe(60_000);
    expect(nextTryDelay(1, 0.9, 60_000)).toBeGreaterThan(60_000);
  });
});

describe('patience with a failing transfer', () => {
  it('lasts more than three days when the service is down', () => {
    expect(isWorthAnotherTry('SERVICE_FAILED', { since: 0, now: 72 * HOUR })).toBe(true);
    expect(isWorthAnotherTry('SERVICE_FAILED', { since: 0, now: 97 * HOUR })).toBe(false);
  });

  it.each([
    'SLACK_FILE_DELETED',
    'SLACK_FILE_FOREIGN_HOST',
    'SLACK_FILE_NOT_FOUND',
    'SLACK_FILE_SIZE_MISMATCH',
    'SLACK_FILE_UNSUPPORTED',
  ] as const)('lasts some minutes with %s, and until Slack says it again', (code) => {
    const last = 'SLACK_FILE_UNAVAILABLE';
    const isTriedAfter = (minutes: number, before: ErrorCode | null) =>
      isWorthAnotherTry(code, { since: 0, now: minutes * MINUTE, last: before });
    expect([1, 3].map((minutes) => isTriedAfter(minutes, code))).toEqual([true, false]);
    expect([3, 95 * 60, 97 * 60].map((minutes) => isTriedAfter(minutes, last))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each(['SLACK_FILE_DENIED', 'SLACK_FILE_HIDDEN', 'SLACK_FILE_SIGN_IN_PAGE'] as const)(
    'lasts days with %s, which may pass',
    (code) => {
      expect(isWorthAnotherTry(code, { since: 0, now: 95 * HOUR })).toBe(true);
      expect(isWorthAnotherTry(code, { since: 0, now: 97 * HOUR })).toBe(false);
    },
  );

  it('is not shown at first: people read that the file waits for Slack', () => {
    const told = (code: ErrorCode, minutes: number) =>
      toldProblem(code, { since: 0, now: minutes * MINUTE });
    const codes = ['SLACK_FILE_DENIED', 'SLACK_FILE_NOT_FOUND', 'SERVICE_FAILED'] as const;
    expect(codes.map((code) => told(code, 1))).toEqual([
      'SLACK_FILE_UNAVAILABLE',
      'SLACK_FILE_UNAVAILABLE',
      'SERVICE_FAILED',
    ]);
    expect(codes.map((code) => told(code, 3))).toEqual(codes);
  });

  it('starts anew when the failure is of another kind', () => {
    const outage = { problem: 'SERVICE_FAILED' as const, failingSince: 0 };
    expect(failingSince(outage, 'SLACK_FILE_NOT_FOUND', HOUR)).toBe(HOUR);
    expect(failingSince(outage, 'SERVICE_TIMEOUT', HOUR)).toBe(0);
    expect(failingSince({ problem: null, failingSince: null }, 'SERVICE_FAILED', 7)).toBe(7);
    expect(failingSince({ problem: null, failingSince: 5 }, 'SERVICE_FAILED', 7)).toBe(5);
    expect(failingSince({ problem: null, failingSince: 5 }, 'SLACK_FILE_NOT_FOUND', HOUR)).toBe(
      HOUR,
    );
    const atSlack = { problem: 'SLACK_FILE_UNAVAILABLE' as const, failingSince: 0 };
    expect(failingSince(atSlack, 'SLACK_FILE_NOT_FOUND', HOUR)).toBe(0);
    expect(failingSince(atSlack, 'SERVICE_FAILED', HOUR)).toBe(HOUR);
  });
});
