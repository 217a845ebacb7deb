import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addedSince,
  announceRequestEveryMs,
  mayBeOurs,
  nextAnnounceMs,
  type SeenUpTo,
  seenWith,
} from '../../src/transfers/index.ts';

const MINUTE = 60_000;
const NOTHING: SeenUpTo = { lastRecord: null, lastCreatedAt: null };
const file = (id: number, createdAt: number | null = null) => ({ id, createdAt });

describe('addedSince', () => {
  it('returns nothing for the first list of a folder, however many files it has', () => {
    expect(addedSince([file(1, 10), file(2)], NOTHING)).toEqual([]);
  });

  it('returns every file that appears after an empty first list', () => {
    const seen = seenWith([], NOTHING);
    expect(addedSince([file(1), file(2, 5)], seen)).toEqual([file(1), file(2, 5)]);
  });

  it('returns files with a greater identifier or, as those may follow no order, a later time', () => {
    const seen = seenWith([file(50, 1_000), file(70, 900)], NOTHING);
    const files = [file(50, 1_000), file(70, 900), file(71), file(3, 1_001), file(4, 1_000)];
    expect(addedSince(files, seen)).toEqual([file(71), file(3, 1_001)]);
  });

  it('returns each file only once, whatever lists come and in whatever order', () => {
    const records = fc.array(fc.record({ id: fc.nat(50), createdAt: fc.option(fc.nat(50)) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.array(records, { maxLength: 6 }), (lists) => {
        const known = new Map<number, number | null>();
        const told: number[] = [];
        let seen = NOTHING;
        for (const list of lists) {
          // The time of a record never changes.
          const files = list.map(({ id, createdAt }) => {
            if (!known.has(id)) known.set(id, createdAt);
            return file(id, known.get(id));
          });
          const shown = [...new Map(files.map((one) => [one.id, one])).values()];
          told.push(...addedSince(shown, seen).map(({ id }) => id));
          seen = seenWith(shown, seen);
        }
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });
});

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
