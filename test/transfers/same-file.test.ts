import { describe, expect, it } from 'vitest';
import { eachFileOnce, filedByAnother, type SameFile } from '../../src/transfers/index.ts';

const other = (state: SameFile['state'], rest: Partial<SameFile> = {}): SameFile => ({
  ...{ state, refusedIn: null, problem: null, leaseToken: null },
  ...rest,
});

const DAMAGED = other('refused', { refusedIn: 'creating', problem: 'RECORD_SIZE_MISMATCH' });

describe('filedByAnother', () => {
  it.each<[string, SameFile[]]>([
    ['no', []],
    ['no', [other('parked'), other('deleted')]],
    ['no', [other('recorded')]],
    ['no', [other('refused', { refusedIn: 'recorded' })]],
    ['perhaps', [other('recorded', { leaseToken: 't' })]],
    ['perhaps', [other('uploaded')]],
    ['perhaps', [other('creating')]],
    ['yes', [other('created')]],
    ['yes', [other('recorded', { leaseToken: 't' }), other('filed')]],
    ['perhaps', [other('refused', { refusedIn: 'creating', problem: 'RECORD_UNSEEN' })]],
    ['no', [other('refused', { refusedIn: 'uploaded', problem: 'SERVICE_FORBIDDEN' })]],
    ['damaged', [other('uploaded'), DAMAGED]],
    ['yes', [DAMAGED, other('filed')]],
  ])('returns %s for %j', (answer, others) => {
    expect(filedByAnother(others)).toBe(answer);
  });
});

it('eachFileOnce keeps the first of several copies of a file, in order', () => {
  const copies = ['F2', 'F1', 'F2'].map((slackFileId, nth) => ({ slackFileId, nth }));
  expect(eachFileOnce(copies)).toEqual([
    { slackFileId: 'F2', nth: 0 },
    { slackFileId: 'F1', nth: 1 },
  ]);
});
