import { expect, it } from 'vitest';
import type { Outcome } from '../world/run-world.ts';
import { type Cut, shrink } from './shrink.ts';

const outcome = (fails: boolean): Outcome => ({
  seed: 1,
  violation: fails ? { property: 'none filed twice', what: '' } : null,
  trace: [],
  events: [],
  lastedMs: 0,
  struck: {},
  counts: {},
});

const STEPS = Array.from({ length: 20 }, (_, n) => n);

it('shrink keeps the steps that the failure needs, and drops the faults that it does not', async () => {
  const needs = (cut: Cut) =>
    outcome(
      Boolean(cut.keep?.includes(3) && cut.keep.includes(17) && !cut.without.includes('slack')),
    );
  const cut = await shrink(outcome(true), STEPS, async (one) => needs(one));
  expect(cut.keep).toEqual([3, 17]);
  expect(cut.without).toEqual(['service', 'downloads', 'deliveries', 'disk']);
});

it('shrink cuts nothing if a cut makes another property break', async () => {
  const other = { ...outcome(true), violation: { property: 'rate limit', what: '' } };
  const cut = await shrink(outcome(true), STEPS, async () => other);
  expect(cut).toEqual({ keep: null, without: [] });
});
