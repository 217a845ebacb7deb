import { describe, expect, it } from 'vitest';
import {
  boundsOf,
  type Candidate,
  earlierRecords,
  isAsNew,
  isHeld,
  isStillFiledAs,
  type Match,
  matchRecord,
  type OpenCreate,
  possibleRecords,
  recordsBy,
} from '../../src/core/match-records.ts';

const MINUTE_MS = 60_000;
const SINCE = Date.UTC(2026, 0, 5, 9, 0, 30);
const open: OpenCreate = {
  name: 'plan.pdf',
  byteSize: 10,
  serviceTime: SINCE,
  uploadedAt: SINCE,
  creatingSince: SINCE,
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

describe('matchRecord for open creates of one size that the service renamed by number', () => {
  const other = { name: 'photo.jpg', byteSize: 10 };
  const [mine, its] = [record(1, { name: 'plan_1.pdf' }), record(2, { name: 'photo_1.jpg' })];

  it('tells their records apart by name', () => {
    expect(found([mine, its], [other])).toBe(1);
    expect(match({ ...open, ...other }, [mine, its], [{ name: 'plan.pdf', byteSize: 10 }])).toBe(2);
  });

  it("returns absent for a record like another create's, and unclear for one like none", () => {
    expect(found([its], [other])).toBe('absent');
    expect(found([its, record(3, { name: 'f-3.bin' })], [other])).toBe('unclear');
  });
});

describe('matchRecord for a create without an answer', () => {
  it('finds the record of the same name and size', () => {
    const others = [record(1, { name: 'plans.pdf', byteSize: 9 }), record(2, { byteSize: 11 })];
    expect(found(others)).toBe('absent');
    expect(found([...others, record(3)])).toBe(3);
  });

  it('finds a name in another Unicode form or with spaces around it', () => {
    const decomposed = { ...open, name: 'r\u00e9sum\u00e9.pdf' };
    const files = [record(4, { name: ' re\u0301sume\u0301.pdf ' })];
    expect(match(decomposed, files)).toBe(4);
  });

  it('does not find a file of the same name that was there before', () => {
    const before = record(5, { createdAt: SINCE - 6 * MINUTE_MS });
    const known = { ...open, lastRecord: 5 };
    expect(match(known, [before])).toBe('absent');
    expect(match(known, [before, record(6)])).toBe(6);
    expect(found([before, record(6)])).toBe(6);
  });

  it('returns unclear when only the time or only the identifier says that it is old', () => {
    const before = record(5, { createdAt: SINCE - 6 * MINUTE_MS });
    expect(found([before])).toBe('unclear');
    expect(match({ ...open, lastRecord: 4 }, [before])).toBe('unclear');
    expect(match({ ...open, lastRecord: 5 }, [record(5)])).toBe('unclear');
    expect(match({ ...open, lastRecord: 5 }, [record(5, { createdAt: null })])).toBe('unclear');
  });

  it("finds a record some minutes older, as the service's clocks may differ", () => {
    expect(found([record(7, { createdAt: SINCE - 2 * MINUTE_MS })])).toBe(7);
  });

  it("compares the record's time with the earlier of both clocks", () => {
    const made = [record(7, { createdAt: SINCE })];
    const years = 73 * 365 * 24 * 60 * MINUTE_MS;
    expect(match({ ...open, serviceTime: SINCE + 120_000 }, made)).toBe(7);
    expect(match({ ...open, serviceTime: SINCE + years }, made)).toBe(7);
    expect(match({ ...open, creatingSince: SINCE + years }, made)).toBe(7);
  });

  it('finds a record without a time', () => {
    expect(found([record(8, { createdAt: null })])).toBe(8);
  });

  it('compares with our own clock, give or take minutes, when the service sends no time', () => {
    const timeless = { ...open, serviceTime: null };
    const minutes = (count: number) => [record(9, { createdAt: SINCE - count * MINUTE_MS })];
    expect(match(timeless, minutes(4))).toBe(9);
    expect(match(timeless, minutes(6))).toBe('unclear');
    expect(match(timeless, [record(9, { createdAt: null })])).toBe('unclear');
  });

  it('has recordsBy leave out records by other creators when those of ours are known', () => {
    const by = (creatorId: number | null, creators: number[]) => {
      return recordsBy(new Set(creators), [record(11, { creatorId })]).length === 1;
    };
    expect([by(9, [7]), by(7, [7]), by(null, [7]), by(9, [])]).toEqual([false, true, true, true]);
  });

  it('finds the oldest of several records, in whatever order they are listed', () => {
    const twins = [record(14, { createdAt: SINCE + 9_000 }), record(13), record(12)];
    expect(found(twins)).toBe(12);
    expect(found(twins.toReversed())).toBe(12);
  });

  it('finds a record without a size', () => {
    const unsized = record(20, { byteSize: null });
    expect(found([unsized])).toBe(20);
    expect(found([unsized, record(21)])).toBe(21);
    expect(found([record(22, { name: 'other.pdf', byteSize: null })])).toBe('absent');
  });

  it("returns unclear for two records without sizes, or one that may be another create's", () => {
    expect(found([record(20, { byteSize: null }), record(21, { byteSize: null })])).toBe('unclear');
    const twin = [{ name: 'plan.pdf', byteSize: 11 }];
    expect(found([record(20, { byteSize: null })], twin)).toBe('unclear');
    expect(found([record(21)], twin)).toBe(21);
  });

  it('finds a record whose name the service changed', () => {
    expect(found([record(30, { name: 'Plan.pdf' })])).toBe(30);
    expect(found([record(30, { name: 'plan (1).pdf' })])).toBe(30);
    expect(found([record(30, { name: 'Plan.pdf' }), record(31)])).toBe(31);
  });

  it('returns unclear for a changed name when another record or create fits as well', () => {
    const changed = record(30, { name: 'plan (1).pdf' });
    expect(found([changed, record(31, { name: 'plan (2).pdf' })])).toBe('unclear');
    expect(found([changed], [{ name: 'plan (1).pdf', byteSize: 10 }])).toBe('unclear');
    expect(found([changed], [{ name: 'Plan.pdf', byteSize: 10 }])).toBe('unclear');
    expect(found([changed], [{ name: 'plan (1).pdf', byteSize: 11 }])).toBe(30);
    expect(found([{ ...changed, byteSize: null }])).toBe('unclear');
  });

  it("returns unclear for a renamed record of the same size, unless it is another create's", () => {
    const renamed = record(40, { name: 'f-0001.bin' });
    expect(found([renamed])).toBe('unclear');
    expect(found([renamed], [{ name: 'f-0001.bin', byteSize: 10 }])).toBe('absent');
    expect(found([renamed, record(41)])).toBe(41);
  });

  it('returns unclear when an identical file is filed without a known record', () => {
    const twin = [{ name: 'plan.pdf', byteSize: 10 }];
    expect(found([record(60)], twin)).toBe('unclear');
    expect(found([], twin)).toBe('absent');
  });

  it("has isAsNew count another create's record as new unless it was sent long before", () => {
    const sentAt = (minutes: number) =>
      isAsNew(open, { ...open, creatingSince: SINCE + minutes * MINUTE_MS });
    expect([sentAt(-60), sentAt(-11), sentAt(-9), sentAt(60)]).toEqual([false, false, true, true]);
  });

  it('finds a name that is written as HTML', () => {
    const escaped = [record(50, { name: 'R&amp;D &#8211; plan.pdf' })];
    expect(match({ ...open, name: 'R&D \u2013 plan.pdf' }, escaped)).toBe(50);
  });
});

const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;
const SHIFTS = [0, -HOUR_MS, -75_000, 75_000, HOUR_MS, -3 * YEAR_MS, 73 * YEAR_MS];

/** Every combination of the three clocks' errors; null where the service sends no time. */
const clocks = [...SHIFTS, null].flatMap((date) =>
  [...SHIFTS, null].flatMap((created) => SHIFTS.map((ours) => ({ date, created, ours }))),
);
const shifted = (time: number, by: number | null) => (by === null ? null : time + by);

describe('matchRecord with any clock error', () => {
  // The greatest identifier of ours that was there before; null when none is known.
  it.each([null, 69])(
    'never returns absent for the record that the create left (last record %s)',
    (last) => {
      for (const { date, created, ours } of clocks) {
        const create = {
          ...open,
          serviceTime: shifted(SINCE, date),
          creatingSince: SINCE + ours,
          lastRecord: last,
        };
        const left = record(70, { createdAt: shifted(SINCE + 1_000, created) });
        expect(match(create, [left]), JSON.stringify({ date, created, ours })).not.toBe('absent');
      }
    },
  );

  it('returns absent for a folder that shows nothing of the create', () => {
    for (const { date, created, ours } of clocks) {
      const create = {
        ...open,
        serviceTime: shifted(SINCE, date),
        creatingSince: SINCE + ours,
        lastRecord: 69,
      };
      const other = record(70, { name: 'b.pdf', byteSize: 9, createdAt: shifted(SINCE, created) });
      expect(match(create, [other])).toBe('absent');
    }
  });

  it('never finds a record older than one of ours, and returns absent if clocks are right', () => {
    const before = record(60, { createdAt: SINCE - HOUR_MS });
    expect(match({ ...open, lastRecord: 69 }, [before])).toBe('absent');
    for (const { date, created, ours } of clocks) {
      const create = {
        ...open,
        serviceTime: shifted(SINCE, date),
        creatingSince: SINCE + ours,
        lastRecord: 69,
      };
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
  ])('finds what the create left with %s', (_what, shift) => {
    const { date, created, ours } = { date: 0, created: 0, ours: 0, ...shift };
    const create = { ...open, serviceTime: shifted(SINCE, date), creatingSince: SINCE + ours };
    expect(match(create, [record(70, { createdAt: SINCE + 1_000 + created })])).toBe(70);
  });
});

describe('isStillFiledAs', () => {
  const filed = { name: 'R&D “plan”.pdf', byteSize: 900 };
  const is = (name: string, byteSize: number | null = 900) =>
    isStillFiledAs(filed, { name, byteSize });

  it('knows the name as the service may write it', () => {
    expect(is(filed.name)).toBe(true);
    expect(is('R&amp;D &ldquo;plan&rdquo;.pdf')).toBe(true);
    expect(is('R&D_plan.pdf')).toBe(true);
    expect(is('r&d “plan” (1).pdf')).toBe(true);
  });

  it('does not know another name or another size', () => {
    expect(is('salaries.pdf')).toBe(false);
    expect(is('R&D “plan”.txt')).toBe(false);
    expect(is(filed.name, 901)).toBe(false);
  });

  it('knows the name that the service itself gave, with that size or none', () => {
    const named = { ...filed, recordName: 'file-1.pdf' };
    const isNamed = (name: string, byteSize: number | null) =>
      isStillFiledAs(named, { name, byteSize });
    expect([isNamed('file-1.pdf', filed.byteSize), isNamed('file-1.pdf', null)]).toEqual([
      true,
      true,
    ]);
    expect(isNamed(filed.name, filed.byteSize)).toBe(true);
    expect([isNamed('file-1.pdf', 901), isNamed('file-2.pdf', filed.byteSize)]).toEqual([
      false,
      false,
    ]);
  });

  it('needs the exact name where no size is stated', () => {
    expect(is('R&amp;D “plan”.pdf', null)).toBe(true);
    expect(is('R&D_plan.pdf', null)).toBe(false);
  });
});

describe('isHeld', () => {
  const own = record(1);
  const filed = { name: own.name, byteSize: 10, state: 'filed' } as const;
  const deleted = { ...filed, state: 'deleted' } as const;
  const other = record(1, { name: 'other.pdf' });
  const open = { name: 'other.pdf', byteSize: 10 };

  it('holds a record that still is what was filed, whatever creates are open', () => {
    for (const held of [filed, deleted]) expect(isHeld(held, own, [filed, open])).toBe(true);
    expect(isHeld(undefined, own, [])).toBe(false);
  });

  it('holds a deleted record’s number only while it shows the deleted file', () => {
    expect(isHeld(deleted, other, [])).toBe(false);
  });

  it('holds a renamed record, unless it looks like an open create’s or has another size', () => {
    expect(isHeld(filed, other, [])).toBe(true);
    expect(isHeld(filed, other, [{ ...open, name: 'third.pdf' }])).toBe(true);
    expect(isHeld(filed, other, [open])).toBe(false);
    expect(isHeld(filed, { ...other, byteSize: 11 }, [])).toBe(false);
  });
});

describe('earlierRecords of a file that history brought', () => {
  const sharedAt = SINCE;
  const file = { name: 'plan.pdf', size: 10, sharedAt };
  const seek = (free: Candidate[], more: Partial<Parameters<typeof earlierRecords>[1]> = {}) => {
    const { verdict, records, byOthers } = earlierRecords(file, {
      ...{ open: [], free, creators: new Set<number>() },
      ...more,
    });
    const others = byOthers > 0 ? [`${byOthers} by others`] : [];
    return [verdict, ...records.map(({ id }) => id), ...others];
  };

  it('are those of its exact name and size that are newer than its message, oldest first', () => {
    const others = [
      record(1, { name: 'plans.pdf' }),
      record(2, { byteSize: 11 }),
      record(3, { createdAt: SINCE - 6 * MINUTE_MS }),
    ];
    expect(seek(others)).toEqual(['clear']);
    const later = record(4, { createdAt: SINCE + MINUTE_MS });
    expect(seek([...others, later, record(5)])).toEqual(['clear', 5, 4]);
  });

  it('are within the bounds of what is read of a folder, also beside an open create', () => {
    const later = { ...file, sharedAt: SINCE + MINUTE_MS, size: 20 };
    const sought = boundsOf([], [later, file]);
    expect(sought).toMatchObject({ createdAt: SINCE - 5 * MINUTE_MS, sizes: [20, 10] });
    const create = { ...open, byteSize: 30, lastRecord: 9, creatingSince: SINCE + 60 * MINUTE_MS };
    expect(boundsOf([create], [file])).toEqual({
      ...{ number: 9, createdAt: SINCE - 5 * MINUTE_MS },
      sizes: [30, 10],
    });
    expect(boundsOf([], [{ ...file, size: null }]).sizes).toBeNull();
  });

  it('may lack a time or a size that the service does not state', () => {
    expect(seek([record(1, { createdAt: null, byteSize: null })])).toEqual(['clear', 1]);
  });

  it('are by our key, if the service states who created them and our key is known', () => {
    expect(seek([record(1)], { creators: new Set([8]) })).toEqual(['clear', '1 by others']);
    expect(seek([record(1)], { creators: new Set([7]) })).toEqual(['clear', 1]);
    expect(seek([record(1, { creatorId: null })], { creators: new Set([8]) })).toEqual([
      'clear',
      1,
    ]);
  });

  it('are unclear while an open create may have left one of them', () => {
    const other = { ...open, id: 2, state: 'creating' } as const;
    expect(seek([record(1)], { open: [other] })).toEqual(['unclear']);
    const unlike = { ...other, name: 'other.pdf' };
    expect(seek([record(1)], { open: [unlike] })).toEqual(['clear', 1]);
  });
});
