import { describe, expect, it } from 'vitest';
import { afterAbsent, hasSettled, isWorthLooking, lookDelay } from '../../src/transfers/index.ts';

const SETTLE_MS = 180_000;
const SENT = Date.UTC(2026, 0, 5, 9, 0, 30);

/** When the looks at a create come that was not answered `failedMs` after it was sent. */
function looksAfter(failedMs: number): number[] {
  const times = [failedMs + lookDelay(0, SETTLE_MS)];
  for (let at = times[0] ?? 0; at < SETTLE_MS; times.push(at)) at += lookDelay(at, SETTLE_MS);
  return times;
}

describe('the looks at an open create', () => {
  it('come once an hour at the least, as nothing may be due later than a clock is believed', () => {
    expect(lookDelay(20 * 3_600_000, Number.POSITIVE_INFINITY)).toBe(3_600_000);
  });

  it('begin within seconds, grow rare, and end when it has had its time', () => {
    expect(looksAfter(0)).toEqual([2_000, 6_000, 18_000, 54_000, 162_000, 180_000]);
    expect(looksAfter(60_000)).toEqual([62_000, 180_000]);
  });

  it('end at once where its time is over, or there is none', () => {
    expect([lookDelay(SETTLE_MS, SETTLE_MS), lookDelay(0, 0), lookDelay(0, 50)]).toEqual([
      0, 0, 50,
    ]);
  });
});

describe('that a create had its time before a list was made', () => {
  const sent = { since: SENT, sentAt: SENT, answeredAt: null };
  const settled = (fetchedAfter: number, itsAfter: number | null, since: number | null = SENT) =>
    hasSettled(
      { ...sent, since },
      { fetchedAt: SENT + fetchedAfter, serviceTime: itsAfter === null ? null : SENT + itsAfter },
      SETTLE_MS,
    );

  it('is so when both clocks say so, to the second that the header tells', () => {
    expect(settled(SETTLE_MS, SETTLE_MS)).toBe(true);
    expect(settled(SETTLE_MS, SETTLE_MS - 1_000)).toBe(true);
    expect(settled(SETTLE_MS - 1, SETTLE_MS)).toBe(false);
  });

  it('is not so because our clock jumped, or the list is an old copy', () => {
    expect(settled(3_600_000, 2_000)).toBe(false);
    expect(settled(SETTLE_MS, SETTLE_MS - 2_000)).toBe(false);
  });

  it('is not so for a create of a time to come: our clock went back', () => {
    expect(settled(-3_600_000, SETTLE_MS)).toBe(false);
  });

  it('rests on our clock where the service tells no time, or its own went back', () => {
    expect(settled(SETTLE_MS, null)).toBe(true);
    expect(settled(SETTLE_MS, 2_000, null)).toBe(true);
    expect(settled(SETTLE_MS, -3_600_000)).toBe(true);
  });
});

describe('that a create which was answered with an error is over when a list was made', () => {
  const answeredAt = SENT + 1_000;
  const over = (fetchedAfter: number, itsAfter: number | null, since: number | null = SENT) =>
    hasSettled(
      { since, sentAt: SENT, answeredAt },
      { fetchedAt: SENT + fetchedAfter, serviceTime: itsAfter === null ? null : SENT + itsAfter },
      SETTLE_MS,
    );

  it('is so from the answer on, by both clocks', () => {
    expect([over(1_000, 0), over(1_000, null), over(1_000, 0, null)]).toEqual([true, true, true]);
    expect([over(999, 0), over(1_000, -1_001)]).toEqual([false, false]);
  });

  it('rests on our clock where the service set its own back by more than clocks are apart', () => {
    expect([over(1_000, -300_000), over(1_000, -300_001)]).toEqual([false, true]);
  });
});

describe('a create that was refused and left nothing', () => {
  const refused = { problem: 'SERVICE_FORBIDDEN', creatingSince: SENT, uploadedAt: SENT } as const;
  const answeredAt = SENT + 1_000;
  const next = (afterMs: number) => afterAbsent({ ...refused, answeredAt }, answeredAt + afterMs);

  it('stays refused where that was said just now, and is sent again where it was a while ago', () => {
    expect([next(0), next(60_000), next(60_001)]).toEqual(['refuse', 'refuse', 'create']);
  });
});

describe('the record of an answered create', () => {
  it('is looked for while lists may lag, and longer while there is none', () => {
    expect([isWorthLooking(14_999, true), isWorthLooking(15_000, true)]).toEqual([true, false]);
    expect([isWorthLooking(3_600_000, false), isWorthLooking(86_400_000, false)]).toEqual([
      true,
      false,
    ]);
  });

  it('is not looked for without end when our clock went back', () => {
    expect([isWorthLooking(-1, true), isWorthLooking(-1, false)]).toEqual([false, false]);
  });
});
