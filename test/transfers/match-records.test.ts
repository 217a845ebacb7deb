import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  isAsNew,
  type Match,
  matchRecord,
  type OpenCreate,
  possibleRecords,
  recordsBy,
} from '../../src/transfers/match-records.ts';

const MINUTE_MS = 60_000;
const SINCE = Date.UTC(2026, 0, 5, 9, 0, 30);
const open: OpenCreate = {
  name: 'plan.pdf',
  byteSize: 10,
  since: SINCE,
  sentAt: SINCE,
  answeredAt: null,
  lastRecord: null,
};

function record(id: number, overrides: Partial<Candidate> = {}): Candidate {
  const createdAt = SINCE + 2_000;
  return { id, name: 'plan.pdf', byteSize: 10, createdAt, creatorId: 7, ...overrides };
}

type Others = { name: string; byteSize: number }[];

const match = (create: OpenCreate, files: Candidate[], others: Others = []) =>
  idOf(matchRecord(create, possibleRecords(create, files), others));
const idOf = (verdict: Match<Candidate>) =>
  verdict.verdict === 'found' ? verdict.record.id : verdict.verdict;
const found = (files: Candidate[], others: Others = []) => match(open, files, others);

describe('the records of several open creates of one size, renamed by number', () => {
  const other = { name: 'photo.jpg', byteSize: 10 };
  const [mine, its] = [record(1, { name: 'plan_1.pdf' }), record(2, { name: 'photo_1.jpg' })];

  it('are told apart by their names', () => {
    expect(found([mine, its], [other])).toBe(1);
    expect(match({ ...open, ...other }, [mine, its], [{ name: 'plan.pdf', byteSize: 10 }])).toBe(2);
  });

  it('prove nothing of one that looks like none of them', () => {
    expect(found([its], [other])).toBe('absent');
    expect(found([its, record(3, { name: 'f-3.bin' })], [other])).toBe('unclear');
  });
});

describe('the record of a create without an answer', () => {
  it('has its name and its size', () => {
    const others = [record(1, { name: 'plans.pdf', byteSize: 9 }), record(2, { byteSize: 11 })];
    expect(found(others)).toBe('absent');
    expect(found([...others, record(3)])).toBe(3);
  });

  it('may have its name in another form of Unicode, or with spaces around', () => {
    const decomposed = { ...open, name: 'r\u00e9sum\u00e9.pdf' };
    const files = [record(4, { name: ' re\u0301sume\u0301.pdf ' })];
    expect(match(decomposed, files)).toBe(4);
  });

  it('is not a like-named file that was there before', () => {
    const before = record(5, { createdAt: SINCE - 6 * MINUTE_MS });
    const known = { ...open, lastRecord: 5 };
    expect(match(known, [before])).toBe('absent');
    expect(match(known, [before, record(6)])).toBe(6);
    expect(found([before, record(6)])).toBe(6);
  });

  it('is unclear where its time alone, or its identifier alone, says that it was there before', () => {
    const before = record(5, { createdAt: SINCE - 6 * MINUTE_MS });
    expect(found([before])).toBe('unclear');
    expect(match({ ...open, lastRecord: 4 }, [before])).toBe('unclear');
    expect(match({ ...open, lastRecord: 5 }, [record(5)])).toBe('unclear');
    expect(match({ ...open, lastRecord: 5 }, [record(5, { createdAt: null })])).toBe('unclear');
  });

  it('may be minutes older, as the clocks of a service may be apart', () => {
    expect(found([record(7, { createdAt: SINCE - 2 * MINUTE_MS })])).toBe(7);
  });

  it('is held against the earlier of both clocks', () => {
    const made = [record(7, { createdAt: SINCE })];
    const years = 73 * 365 * 24 * 60 * MINUTE_MS;
    expect(match({ ...open, since: SINCE + 120_000 }, made)).toBe(7);
    expect(match({ ...open, since: SINCE + years }, made)).toBe(7);
    expect(match({ ...open, sentAt: SINCE + years }, made)).toBe(7);
  });

  it('is taken as it is where it tells no time', () => {
    expect(found([record(8, { createdAt: null })])).toBe(8);
  });

  it('is held against our own clock, with minutes to spare, where the service tells none', () => {
    const timeless = { ...open, since: null };
    const minutes = (count: number) => [record(9, { createdAt: SINCE - count * MINUTE_MS })];
    expect(match(timeless, minutes(4))).toBe(9);
    expect(match(timeless, minutes(6))).toBe('unclear');
    expect(match(timeless, [record(9, { createdAt: null })])).toBe('unclear');
  });

  it('is by who makes our records, where that is known', () => {
    const by = (creatorId: number | null, creators: number[]) => {
      return recordsBy(new Set(creators), [record(11, { creatorId })]).length === 1;
    };
    expect([by(9, [7]), by(7, [7]), by(null, [7]), by(9, [])]).toEqual([false, true, true, true]);
  });

  it('is the oldest of several, whatever their order', () => {
    const twins = [record(14, { createdAt: SINCE + 9_000 }), record(13), record(12)];
    expect(found(twins)).toBe(12);
    expect(found(twins.toReversed())).toBe(12);
  });

  it('may keep its size to itself', () => {
    const unsized = record(20, { byteSize: null });
    expect(found([unsized])).toBe(20);
    expect(found([unsized, record(21)])).toBe(21);
    expect(found([record(22, { name: 'other.pdf', byteSize: null })])).toBe('absent');
  });

  it('is unclear when two keep their sizes to themselves, or one that may be of another create', () => {
    expect(found([record(20, { byteSize: null }), record(21, { byteSize: null })])).toBe('unclear');
    const twin = [{ name: 'plan.pdf', byteSize: 11 }];
    expect(found([record(20, { byteSize: null })], twin)).toBe('unclear');
    expect(found([record(21)], twin)).toBe(21);
  });

  it('may have a name that the service changed', () => {
    expect(found([record(30, { name: 'Plan.pdf' })])).toBe(30);
    expect(found([record(30, { name: 'plan (1).pdf' })])).toBe(30);
    expect(found([record(30, { name: 'Plan.pdf' }), record(31)])).toBe(31);
  });

  it('is unclear when its name was changed and another may be it, or it may be of another create', () => {
    const changed = record(30, { name: 'plan (1).pdf' });
    expect(found([changed, record(31, { name: 'plan (2).pdf' })])).toBe('unclear');
    expect(found([changed], [{ name: 'plan (1).pdf', byteSize: 10 }])).toBe('unclear');
    expect(found([changed], [{ name: 'Plan.pdf', byteSize: 10 }])).toBe('unclear');
    expect(found([changed], [{ name: 'plan (1).pdf', byteSize: 11 }])).toBe(30);
    expect(found([{ ...changed, byteSize: null }])).toBe('unclear');
  });

  it('is unclear where a renamed file has but its size, unless that is of another create', () => {
    const renamed = record(40, { name: 'f-0001.bin' });
    expect(found([renamed])).toBe('unclear');
    expect(found([renamed], [{ name: 'f-0001.bin', byteSize: 10 }])).toBe('absent');
    expect(found([renamed, record(41)])).toBe(41);
  });

  it('is unclear beside a twin of which nobody knows as which record it is filed', () => {
    const twin = [{ name: 'plan.pdf', byteSize: 10 }];
    expect(found([record(60)], twin)).toBe('unclear');
    expect(found([], twin)).toBe('absent');
  });

  it('may be confused with what another left that was sent then or later, and not long before', () => {
    const sentAt = (minutes: number) =>
      isAsNew(open, { ...open, sentAt: SINCE + minutes * MINUTE_MS });
    expect([sentAt(-60), sentAt(-11), sentAt(-9), sentAt(60)]).toEqual([false, false, true, true]);
  });

  it('may have its name written as HTML', () => {
    const escaped = [record(50, { name: 'R&amp;D &#8211; plan.pdf' })];
    expect(match({ ...open, name: 'R&D \u2013 plan.pdf' }, escaped)).toBe(50);
  });
});

const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;
const SHIFTS = [0, -HOUR_MS, -75_000, 75_000, HOUR_MS, -3 * YEAR_MS, 73 * YEAR_MS];

/** Every combination of what the three clocks may say; null for a clock of the service's that is not told. */
const clocks = [...SHIFTS, null].flatMap((date) =>
  [...SHIFTS, null].flatMap((created) => SHIFTS.map((ours) => ({ date, created, ours }))),
);
const shifted = (time: number, by: number | null) => (by === null ? null : time + by);

describe('whatever the clocks say', () => {
  // The greatest identifier of ours that was there before, where one was.
  it.each([null, 69])(
    'what the create left is never said to be absent (last record %s)',
    (last) => {
      for (const { date, created, ours } of clocks) {
        const create = {
          ...open,
          since: shifted(SINCE, date),
          sentAt: SINCE + ours,
          lastRecord: last,
        };
        const left = record(70, { createdAt: shifted(SINCE + 1_000, created) });
        expect(match(create, [left]), JSON.stringify({ date, created, ours })).not.toBe('absent');
      }
    },
  );

  it('a folder that shows nothing of it says that it is absent', () => {
    for (const { date, created, ours } of clocks) {
      const create = { ...open, since: shifted(SINCE, date), sentAt: SINCE + ours, lastRecord: 69 };
      const other = record(70, { name: 'b.pdf', byteSize: 9, createdAt: shifted(SINCE, created) });
      expect(match(create, [other])).toBe('absent');
    }
  });

  it('what was there before is never taken where a record of ours tells that, and the clocks are right', () => {
    const before = record(60, { createdAt: SINCE - HOUR_MS });
    expect(match({ ...open, lastRecord: 69 }, [before])).toBe('absent');
    for (const { date, created, ours } of clocks) {
      const create = { ...open, since: shifted(SINCE, date), sentAt: SINCE + ours, lastRecord: 69 };
      expect(match(create, [{ ...before, createdAt: shifted(SINCE - HOUR_MS, created) }])).not.toBe(
        60,
      );
    }
  });

  it.each([
    ['the header 75 s ahead', { date: 75_000 }],
    ['the header 120 s ahead', { date: 120_000 }],
    ['the header in the year 2099', { date: 73 * YEAR_MS }],
    ['records 120 s behind', { created: -120_000 }],
    ['no header', { date: null }],
    ['our clock an hour ahead', { ours: HOUR_MS }],
    ['our clock years behind', { ours: -3 * YEAR_MS }],
  ])('what it left is found all the same with %s', (_what, shift) => {
    const { date, created, ours } = { date: 0, created: 0, ours: 0, ...shift };
    const create = { ...open, since: shifted(SINCE, date), sentAt: SINCE + ours };
    expect(match(create, [record(70, { createdAt: SINCE + 1_000 + created })])).toBe(70);
  });
});
