import { describe, expect, it } from 'vitest';
import { isLegalStep, statesBefore, type TransferState } from '../../src/transfers/state.ts';

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

const next = (from: TransferState) => STATES.filter((to) => isLegalStep(from, to));

describe('the states of a transfer', () => {
  it('lead to filed only over the intent to create, and over its answer', () => {
    expect(statesBefore('filed')).toEqual(['creating', 'created']);
    expect(statesBefore('created')).toEqual(['creating']);
    expect(statesBefore('creating')).toEqual(['uploaded', 'creating', 'refused']);
  });

  it('never leave filed but by deletion, and deleted not at all', () => {
    expect(next('filed')).toEqual(['deleted']);
    expect(next('deleted')).toEqual([]);
  });

  it('let a refused one be tried again in each state that it can be refused in, or left in Slack', () => {
    expect(next('refused')).toEqual(['parked', ...statesBefore('refused')]);
  });

  it('lead from an answer of success to filed alone: never to another create, nor to a refusal', () => {
    expect(next('created')).toEqual(['filed']);
  });

  it('have a way from each other active one to filed and to refused', () => {
    for (const state of ['recorded', 'uploaded', 'creating'] as const)
      expect([...reachable(state)]).toEqual(expect.arrayContaining(['filed', 'refused']));
  });
});

function reachable(from: TransferState): Set<TransferState> {
  const seen = new Set<TransferState>([from]);
  for (const state of seen) for (const to of next(state)) seen.add(to);
  return seen;
}
