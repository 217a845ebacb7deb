import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announceRequestEveryMs, mayBeOurs, nextAnnounceMs } from '../../src/core/index.ts';

const MINUTE = 60_000;
describe('mayBeOurs', () => {
  const own = [{ name: 'R&D plan.pdf', byteSize: 10 }];

  it.each([
    ['its very name', { name: 'R&D plan.pdf', byteSize: 12 }],
    ['its name as the service writes it', { name: 'R&amp;D plan (1).pdf', byteSize: 12 }],
    ['its size under another name', { name: 'x.pdf', byteSize: 10 }],
    ['no size at all', { name: 'x.pdf', byteSize: null }],
  ])('returns true for a file that has %s', (_how, seen) => {
    expect(mayBeOurs(seen, own)).toBe(true);
  });

  it('returns false for another name and size, or when all of our files are identified', () => {
    expect(mayBeOurs({ name: 'x.pdf', byteSize: 11 }, own)).toBe(false);
    expect(mayBeOurs({ name: 'x.pdf', byteSize: null }, [])).toBe(false);
  });
});

describe('the requests that look for files that others added', () => {
  it.each([
    [25, 10_000, 10_000],
    [100, 10_000, 2_000],
    [10, 10_000, 20_000],
    [1, 1_000, 20_000],
    [1_000, 1_000, 20],
  ])(
    'are spaced by the rate limit: %i in %i ms allow one every %i ms',
    (requests, windowMs, everyMs) => {
      expect(announceRequestEveryMs({ requests, windowMs })).toBe(everyMs);
    },
  );

  it('take at most a twentieth of the rate limit in any window', () => {
    const limits = fc.record({
      requests: fc.integer({ min: 20, max: 5_000 }),
      windowMs: fc.integer({ min: 1_000, max: 60_000 }),
    });
    fc.assert(
      fc.property(limits, (limit) => {
        const inWindow = Math.ceil(limit.windowMs / announceRequestEveryMs(limit));
        expect(inWindow / limit.requests).toBeLessThanOrEqual(1 / 20);
      }),
    );
  });

  it('are sent less often with each failed look, at least every two hours', () => {
    const waits = [0, 1, 2, 3, 4, 100].map(nextAnnounceMs);
    expect(waits).toEqual([10, 20, 40, 80, 120, 120].map((minutes) => minutes * MINUTE));
  });
});
