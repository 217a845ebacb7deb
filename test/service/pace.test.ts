import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BulkStanding, earliestBulkCall, nextDue } from '../../src/service/throttle/pace.ts';

const pace = { holdMs: 9600, intervalMs: 400, burst: 6 };
const idle: BulkStanding = {
  lastSentAt: null,
  due: 0,
  taken: 0,
  free: 24,
  takenByPeople: 0,
  nextReturnAt: null,
};

describe('the pace of bulk calls', () => {
  test('lets the first burst after idleness go at once', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 3000,
      taken: 5,
      free: 19,
      nextReturnAt: 11_000,
    };
    expect(earliestBulkCall(pace, standing)).toBeLessThanOrEqual(1000);
  });

  test('spreads the places that are free until the next comes back', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 3400,
      taken: 6,
      free: 17,
      nextReturnAt: 10_000,
    };
    expect(earliestBulkCall(pace, standing)).toBe(1500);
  });

  test('leaves people as many places as they have taken lately', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 3400,
      taken: 6,
      free: 13,
      nextReturnAt: 10_600,
    };
    expect(earliestBulkCall(pace, { ...standing, takenByPeople: 6 })).toBe(1000 + 9600 / 8);
    expect(earliestBulkCall(pace, { ...standing, takenByPeople: 20 })).toBe(10_600);
  });

  test('does not run ahead of the steady rate by more than the burst', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 3800,
      taken: 6,
      free: 18,
      nextReturnAt: 1050,
    };
    expect(earliestBulkCall(pace, standing)).toBe(1800);
  });

  test('spreads from the first call without a burst', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 1400,
      taken: 1,
      free: 17,
      nextReturnAt: 11_000,
    };
    expect(earliestBulkCall({ ...pace, burst: 0 }, standing)).toBeCloseTo(1555.6, 1);
  });

  test('does not delay where no place is free: the place itself is waited for', () => {
    const standing = {
      ...idle,
      lastSentAt: 1000,
      due: 1400,
      taken: 24,
      free: 0,
      nextReturnAt: 9000,
    };
    expect(earliestBulkCall(pace, standing)).toBeLessThanOrEqual(1000);
  });

  test('catches up with ideal times after calls that left late', () => {
    let due = 0;
    for (let call = 0; call < 100; call += 1) due = nextDue(due, 1000 + call * 400 + 50, 400);
    expect(due).toBe(1050 + 100 * 400);
  });

  test('saves up nothing while idle', () => {
    expect(nextDue(1400, 60_000, 400)).toBe(60_400);
  });

  test('never holds a free place back beyond the next return, unless the rate does', () => {
    const times = fc.integer({ min: 0, max: 20_000 });
    const standing = fc.record({
      lastSentAt: times,
      due: fc.constant(0),
      takenByPeople: fc.integer({ min: 0, max: 24 }),
      taken: fc.integer({ min: 0, max: 24 }),
      free: fc.integer({ min: 1, max: 24 }),
      nextReturnAt: times,
    });
    fc.assert(
      fc.property(standing, (at) => {
        const latest = Math.max(at.nextReturnAt, at.lastSentAt);
        expect(earliestBulkCall(pace, at)).toBeLessThanOrEqual(latest);
      }),
    );
  });
});
