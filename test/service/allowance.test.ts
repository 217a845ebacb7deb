import { describe, expect, test } from 'vitest';
import { afterCleanWindow, afterRateLimit } from '../../src/service/throttle/allowance.ts';

const limit = { requests: 25, windowMs: 10_000 };

describe('learning from answers of 429', () => {
  test('takes a quarter of the places away', () => {
    const before = { places: 25, changedAt: 0 };
    expect(afterRateLimit(before, { sentAt: 900, now: 1000 })).toEqual({
      places: 18,
      changedAt: 1000,
    });
  });

  test('counts calls that were sent together once', () => {
    const once = afterRateLimit({ places: 25, changedAt: 0 }, { sentAt: 900, now: 1000 });
    expect(afterRateLimit(once, { sentAt: 950, now: 1010 })).toBe(once);
  });

  test.each([
    [3, 2],
    [2, 2],
    [1, 1],
  ])('keeps at least two places, or the one there is: %i to %i', (places, left) => {
    expect(afterRateLimit({ places, changedAt: 0 }, { sentAt: 1, now: 2 }).places).toBe(left);
  });

  test('gives one place back after a whole window', () => {
    const reduced = { places: 18, changedAt: 1000 };
    expect(afterCleanWindow(reduced, limit, 10_999)).toBe(reduced);
    expect(afterCleanWindow(reduced, limit, 11_000)).toEqual({ places: 19, changedAt: 11_000 });
  });

  test('stays within the limit', () => {
    const whole = { places: 25, changedAt: 0 };
    expect(afterCleanWindow(whole, limit, 99_000)).toBe(whole);
  });
});
