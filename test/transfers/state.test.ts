import { describe, expect, it } from 'vitest';
import {
  ACTIVE_STATES,
  isActive,
  isLegalStep,
  statesBefore,
  type TransferState,
} from '../../src/transfers/index.ts';

const STATES: TransferState[] = [
  'parked',
  'recorded',
  'uploaded',
  'creating',
  'filed',
  'refused',
  'deleted',
];

const next = (from: TransferState) => STATES.filter((to) => isLegalStep(from, to));

describe('the states of a transfer', () => {
  it('lead to filed only over the intent to create', () => {
    expect(statesBefore('filed')).toEqual(['creating']);
    expect(statesBefore('creating')).toEqual(['uploaded', 'creating', 'refused']);
  });

  it('never leave filed but by deletion, and deleted not at all', () => {
    expect(next('filed')).toEqual(['deleted']);
    expect(next('deleted')).toEqual([]);
  });

  it('let a refused one be tried again in each state that it can be refused in', () => {
    expect(statesBefore('refused')).toEqual(next('refused'));
  });

  it('have a way from each active one to filed and to refused', () => {
    for (const state of ACTIVE_STATES)
      expect([...reachable(state)]).toEqual(expect.arrayContaining(['filed', 'refused']));
  });

  it('are active while a worker has something to do', () => {
    expect(STATES.filter(isActive)).toEqual(['recorded', 'uploaded', 'creating']);
  });
});

function reachable(from: TransferState): Set<TransferState> {
  const seen = new Set<TransferState>([from]);
  for (const state of seen) for (const to of next(state)) seen.add(to);
  return seen;
}
