import { expect, it } from 'vitest';
import type { WorldResult } from '../world/run-world.ts';
import { type PlanFilter, shrink } from './shrink.ts';

const outcome = (fails: boolean): WorldResult => ({
  seed: 1,
  violation: fails ? { property: 'none filed twice', what: '' } : null,
  trace: [],
  events: [],
  lastedMs: 0,
  injected: {},
  counts: {},
});

const STEPS = Array.from({ length: 20 }, (_, n) => n);

it('shrink keeps the steps that the failure needs, and drops the faults that it does not', async () => {
  const needs = (filter: PlanFilter) =>
    outcome(
      Boolean(
        filter.keep?.includes(3) && filter.keep.includes(17) && !filter.without.includes('slack'),
      ),
    );
  const filter = await shrink(outcome(true), STEPS, async (one) => needs(one));
  expect(filter.keep).toEqual([3, 17]);
  expect(filter.without).toEqual(['service', 'downloads', 'deliveries', 'disk']);
});

it('shrink cuts nothing if a cut makes another property break', async () => {
  const other = { ...outcome(true), violation: { property: 'rate limit', what: '' } };
  const filter = await shrink(outcome(true), STEPS, async () => other);
  expect(filter).toEqual({ keep: null, without: [] });
});
