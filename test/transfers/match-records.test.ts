import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  type Match,
  matchRecord,
  type OpenCreate,
  possibleRecords,
  recordsBy,
} from '../../src/transfers/index.ts';

const SINCE = Date.UTC(2026, 0, 5, 9, 0, 30);
const open: OpenCreate = { name: 'plan.pdf', byteSize: 10, since: SINCE, sentAt: SINCE };

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

describe('the record of a create without an answer', () => {
  it('has its name and its size', () => {
    const others = [record(1, { name: 'plans.pdf' }), record(2, { byteSize: 11 })];
    expect(found(others)).toBe('absent');
    expect(found([...others, record(3)])).toBe(3);
  });

  it('may have its name in another form of Unicode, or with spaces around', () => {
    const decomposed = { ...open, name: 'r\u00e9sum\u00e9.pdf' };
    const files = [record(4, { name: ' re\u0301sume\u0301.pdf ' })];
    expect(match(decomposed, files)).toBe(4);
  });

  it('is not a like-named file that was there before', () => {
    expect(found([record(5, { createdAt: SINCE - 66_000 })])).toBe('absent');
    expect(found([record(5, { createdAt: SINCE - 66_000 }), record(6)])).toBe(6);
  });

  it('may be a minute older, as a service may cut its times to minutes', () => {
    expect(found([record(7, { createdAt: SINCE - 30_000 })])).toBe(7);
    expect(found([record(7, { createdAt: SINCE - 65_001 })])).toBe('absent');
  });

  it('is taken as it is where it tells no time', () => {
    expect(found([record(8, { createdAt: null })])).toBe(8);
  });

  it('is held against our own clock, with minutes to spare, where the service tells none', () => {
    const timeless = { ...open, since: null };
    const minutes = (count: number) => [record(9, { createdAt: SINCE - count * 60_000 })];
    expect(match(timeless, minutes(4))).toBe(9);
    expect(match(timeless, minutes(6))).toBe('absent');
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
});
