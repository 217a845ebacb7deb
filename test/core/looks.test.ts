import { describe, expect, it } from 'vitest';
import { afterAbsent, hasSettled, isWorthLooking, lookDelay } from '../../src/core/index.ts';

const SETTLE_MS = 180_000;
const SENT = Date.UTC(2026, 0, 5, 9, 0, 30);

/** The times of the looks at a create whose request failed `failedMs` after it was sent. */
function looksAfter(failedMs: number): number[] {
  const times = [failedMs + lookDelay(0, SETTLE_MS)];
  for (let at = times[0] ?? 0; at < SETTLE_MS; times.push(at)) at += lookDelay(at, SETTLE_MS);
  return times;
}

describe('lookDelay for a create without an answer', () => {
  it('is at most an hour, as no row may be due later than the clock is trusted', () => {
    expect(lookDelay(20 * 3_600_000, Number.POSITIVE_INFINITY)).toBe(3_600_000);
  });

  it('starts at two seconds, grows, and ends with a look when the settle time is over', () => {
    expect(looksAfter(0)).toEqual([2_000, 6_000, 18_000, 54_000, 162_000, 180_000]);
    expect(looksAfter(60_000)).toEqual([62_000, 180_000]);
  });

  it('returns 0 when the settle time is over or is 0', () => {
    expect([lookDelay(SETTLE_MS, SETTLE_MS), lookDelay(0, 0), lookDelay(0, 50)]).toEqual([
      0, 0, 50,
    ]);
  });
});

describe('hasSettled for a create without an answer', () => {
  const sent = {
    creatingSince: SENT,
    answeredAt: null,
  };
  const settled = (fetchedAfter: number, itsAfter: number | null, since: number | null = SENT) =>
    hasSettled(
      { ...sent, serviceTime: since },
      { fetchedAt: SENT + fetchedAfter, serviceTime: itsAfter === null ? null : SENT + itsAfter },
      SETTLE_MS,
    );

  it('returns true when both clocks say so, to the whole second of the Date header', () => {
    expect(settled(SETTLE_MS, SETTLE_MS)).toBe(true);
    expect(settled(SETTLE_MS, SETTLE_MS - 1_000)).toBe(true);
    expect(settled(SETTLE_MS - 1, SETTLE_MS)).toBe(false);
  });

  it('returns false when only our clock jumped ahead or the list is an old copy', () => {
    expect(settled(3_600_000, 2_000)).toBe(false);
    expect(settled(SETTLE_MS, SETTLE_MS - 2_000)).toBe(false);
  });

  it('returns false for a list made before the create', () => {
    expect(settled(-3_600_000, SETTLE_MS)).toBe(false);
  });

  it('returns false while the clock of the service, set back, has not come that far again', () => {
    expect(settled(SETTLE_MS, -3_600_000)).toBe(false);
  });

  it('goes by our clock when the service sends no time', () => {
    expect(settled(SETTLE_MS, null)).toBe(true);
    expect(settled(SETTLE_MS, 2_000, null)).toBe(true);
  });
});

describe('hasSettled for a create that was answered with an error', () => {
  const answeredAt = SENT + 1_000;
  const over = (fetchedAfter: number, itsAfter: number | null, since: number | null = SENT) =>
    hasSettled(
      { creatingSince: SENT, answeredAt, serviceTime: since },
      { fetchedAt: SENT + fetchedAfter, serviceTime: itsAfter === null ? null : SENT + itsAfter },
      SETTLE_MS,
    );

  it('returns true for lists made after the answer, by both clocks', () => {
    expect([over(1_000, 0), over(1_000, null), over(1_000, 0, null)]).toEqual([true, true, true]);
    expect([over(999, 0), over(1_000, -1_001)]).toEqual([false, false]);
  });
});

describe('afterAbsent for a refused create that left no record', () => {
  const refused = { problem: 'SERVICE_FORBIDDEN', creatingSince: SENT, uploadedAt: SENT } as const;
  const answeredAt = SENT + 1_000;
  const next = (afterMs: number) => afterAbsent({ ...refused, answeredAt }, answeredAt + afterMs);

  it('returns refuse for a minute after the refusal and create later', () => {
    expect([next(0), next(60_000), next(60_001)]).toEqual(['refuse', 'refuse', 'create']);
  });
});

describe('isWorthLooking for the record of an answered create', () => {
  it('returns true while lists may lag, and for longer while the folder cannot be listed', () => {
    expect([isWorthLooking(14_999, true), isWorthLooking(15_000, true)]).toEqual([true, false]);
    expect([isWorthLooking(3_600_000, false), isWorthLooking(86_400_000, false)]).toEqual([
      true,
      false,
    ]);
  });
});
