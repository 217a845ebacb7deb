import { describe, expect, it } from 'vitest';
import { type Candidate, matchRecord, type OpenCreate } from '../../src/transfers/index.ts';

const SINCE = Date.UTC(2026, 0, 5, 9, 0, 30);
const open: OpenCreate = { name: 'plan.pdf', byteSize: 10, since: SINCE };
const NONE: ReadonlySet<number> = new Set();

function record(id: number, overrides: Partial<Candidate> = {}): Candidate {
  const createdAt = SINCE + 2_000;
  return { id, name: 'plan.pdf', byteSize: 10, createdAt, ...overrides };
}

const found = (files: Candidate[], claimed = NONE) => matchRecord(open, files, claimed)?.id ?? null;

describe('the record of a create without an answer', () => {
  it('has its name and its size', () => {
    const others = [record(1, { name: 'Plan.pdf' }), record(2, { byteSize: 11 })];
    expect(found(others)).toBeNull();
    expect(found([...others, record(3)])).toBe(3);
  });

  it('may have its name in another form of Unicode, or with spaces around', () => {
    const decomposed = { ...open, name: 'r\u00e9sum\u00e9.pdf' };
    const files = [record(4, { name: ' re\u0301sume\u0301.pdf ' })];
    expect(matchRecord(decomposed, files, NONE)?.id).toBe(4);
  });

  it('is not a like-named file that was there before', () => {
    expect(found([record(5, { createdAt: SINCE - 60_000 })])).toBeNull();
    expect(found([record(5, { createdAt: SINCE - 60_000 }), record(6)])).toBe(6);
  });

  it('may be a second older, as the service cuts its times to seconds', () => {
    expect(found([record(7, { createdAt: SINCE - 1_000 })])).toBe(7);
    expect(found([record(7, { createdAt: SINCE - 1_001 })])).toBeNull();
  });

  it('is taken as it is where a time is missing', () => {
    expect(found([record(8, { createdAt: null })])).toBe(8);
    expect(matchRecord({ ...open, since: null }, [record(9, { createdAt: 0 })], NONE)?.id).toBe(9);
  });

  it('is none that another transfer holds', () => {
    expect(found([record(10)], new Set([10]))).toBeNull();
    expect(found([record(10), record(11)], new Set([10]))).toBe(11);
  });

  it('is the oldest of several, whatever their order', () => {
    const twins = [record(14, { createdAt: SINCE + 9_000 }), record(13), record(12)];
    expect(found(twins)).toBe(12);
    expect(found(twins.toReversed())).toBe(12);
  });
});
