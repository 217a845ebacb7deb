import { describe, expect, it } from 'vitest';
import {
  filedByAnother,
  type SameFile,
  STATES_BEFORE,
  type TransferState,
} from '../../src/transfers/state.ts';

const STATES: TransferState[] = [
  'parked',
  'recorded',
  'uploaded',
  'creating',
  'created',
  'filed',
  'refused',
  'deleted',
  'duplicate',
];

const next = (from: TransferState) => STATES.filter((to) => STATES_BEFORE[to].includes(from));

describe('a transfer', () => {
  it('reaches filed only from creating or created, or before it is sent', () => {
    expect(STATES_BEFORE.filed).toEqual(['recorded', 'creating', 'created']);
    expect(STATES_BEFORE.created).toEqual(['creating']);
    expect(STATES_BEFORE.creating).toEqual(['uploaded', 'creating', 'refused']);
  });

  it('leaves filed only by deletion, and never leaves deleted', () => {
    expect(next('filed')).toEqual(['deleted']);
    expect(next('deleted')).toEqual([]);
  });

  it('is a duplicate only before anything is sent, and stays one', () => {
    expect(STATES_BEFORE.duplicate).toEqual(['recorded']);
    expect(next('duplicate')).toEqual([]);
  });

  it('can go from refused to parked, or to each state in which it can be refused', () => {
    expect(next('refused')).toEqual(['parked', ...STATES_BEFORE.refused]);
  });

  it('goes from created to filed only, never to another create or a refusal', () => {
    expect(next('created')).toEqual(['filed']);
  });

  it('can reach filed and refused from each other active state', () => {
    for (const state of ['recorded', 'uploaded', 'creating'] as const)
      expect([...reachable(state)]).toEqual(expect.arrayContaining(['filed', 'refused']));
  });
});

function reachable(from: TransferState): Set<TransferState> {
  const seen = new Set<TransferState>([from]);
  for (const state of seen) for (const to of next(state)) seen.add(to);
  return seen;
}

const other = (state: SameFile['state'], rest: Partial<SameFile> = {}): SameFile => ({
  ...{ state, refusedIn: null, problem: null, isClaimed: false },
  ...rest,
});

const DAMAGED = other('refused', { refusedIn: 'creating', problem: 'RECORD_SIZE_MISMATCH' });

describe('filedByAnother', () => {
  it.each<[string, SameFile[]]>([
    ['no', []],
    ['no', [other('parked'), other('deleted'), other('duplicate')]],
    ['no', [other('recorded')]],
    ['no', [other('refused', { refusedIn: 'recorded' })]],
    ['perhaps', [other('recorded', { isClaimed: true })]],
    ['perhaps', [other('uploaded')]],
    ['perhaps', [other('creating')]],
    ['yes', [other('created')]],
    ['yes', [other('recorded', { isClaimed: true }), other('filed')]],
    ['perhaps', [other('refused', { refusedIn: 'creating', problem: 'RECORD_UNSEEN' })]],
    ['no', [other('refused', { refusedIn: 'uploaded', problem: 'SERVICE_FORBIDDEN' })]],
    ['damaged', [other('uploaded'), DAMAGED]],
    ['yes', [DAMAGED, other('filed')]],
  ])('returns %s for %j', (answer, others) => {
    expect(filedByAnother(others)).toBe(answer);
  });
});
