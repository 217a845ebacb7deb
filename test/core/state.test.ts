import { describe, expect, it } from 'vitest';
import { STATES_BEFORE, type TransferState } from '../../src/core/state.ts';

const STATES: TransferState[] = [
  'parked',
  'recorded',
  'uploaded',
  'creating',
  'created',
  'filed',
  'refused',
  'deleted',
];

const next = (from: TransferState) => STATES.filter((to) => STATES_BEFORE[to].includes(from));

describe('a transfer', () => {
  it('reaches filed only from creating or created, or before it is sent', () => {
    expect(STATES_BEFORE.filed).toEqual(['recorded', 'uploaded', 'creating', 'created']);
    expect(STATES_BEFORE.created).toEqual(['creating']);
    expect(STATES_BEFORE.creating).toEqual(['uploaded', 'creating', 'refused']);
  });

  it('leaves filed only by deletion, and deleted only to begin again', () => {
    expect(next('filed')).toEqual(['deleted']);
    expect(next('deleted')).toEqual(['recorded']);
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
