import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  type Match,
  matchRecord,
  type OpenCreate,
  possibleRecords,
} from '../../src/transfers/index.ts';

const SINCE = Date.UTC(2026, 0, 5, 9, 0, 30);
const open: OpenCreate = { name: 'plan.pdf', byteSize: 10, since: SINCE };

function record(id: number, overrides: Partial<Candidate> = {}): Candidate {
  const createdAt = SINCE + 2_000;
  return { id, name: 'plan.pdf', byteSize: 10, createdAt, ...overrides };
}

type Others = { name: string; byteSize: number }[];

const match = (create: OpenCreate, files: Candidate[], others: Others = []) =>
  idOf(matchRecord(create, possibleRecords(create, files), others));
const idOf = (verdict: Match<Candidate>) =>
  verdict.verdict === 'found' ? verdict.record.id : verdict.verdict;
const found = (files: Candidate[], others: Others = []) => match(open, files, others);

describe('the record of a create without an answer', () => {
  it('has its name and its size', () => {
    const others = [record(1, { name: 'Plan.pdf' }), record(2, { byteSize: 11 })];
    expect(found(others)).toBe('absent');
    expect(found([...others, record(3)])).toBe(3);
  });

  it('may have its name in another form of Unicode, or with spaces around', () => {
    const decomposed = { ...open, name: 'r\u00e9sum\u00e9.pdf' };
    const files = [record(4, { name: ' re\u0301sume\u0301.pdf ' })];
    expect(match(decomposed, files)).toBe(4);
  });

  it('is not a like-named file that was there before', () => {
    expect(found([record(5, { createdAt: SINCE - 60_000 })])).toBe('absent');
    expect(found([record(5, { createdAt: SINCE - 60_000 }), record(6)])).toBe(6);
  });

  it('may be a second older, as the service cuts its times to seconds', () => {
    expect(found([record(7, { createdAt: SINCE - 1_000 })])).toBe(7);
    expect(found([record(7, { createdAt: SINCE - 1_001 })])).toBe('absent');
  });

  it('is taken as it is where a time is missing', () => {
    expect(found([record(8, { createdAt: null })])).toBe(8);
    expect(match({ ...open, since: null }, [record(9, { createdAt: 0 })])).toBe(9);
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
});
