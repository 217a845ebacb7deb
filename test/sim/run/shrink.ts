import { drawPlan, type Plan } from '../plan/plan.ts';
import type { WorldResult } from '../world/run-world.ts';

export const FAULT_GROUPS = ['service', 'slack', 'downloads', 'deliveries', 'disk'] as const;
export type FaultGroup = (typeof FAULT_GROUPS)[number];

/** What a run keeps of a seed's plan. */
export interface PlanFilter {
  /** Numbers of the steps that stay; null: all. */
  keep: readonly number[] | null;
  without: readonly FaultGroup[];
}

/** Returns the plan of a seed without what the filter leaves out. */
export function filterPlan(seed: number, { keep, without }: PlanFilter): Plan {
  const plan = drawPlan(seed);
  const steps = keep === null ? plan.steps : plan.steps.filter(({ id }) => keep.includes(id));
  const rates = { ...plan.rates };
  for (const group of without)
    if (group === 'disk') rates.disk = 0;
    else Object.assign(rates, { [group]: { ...rates[group], probability: 0 } });
  return { ...plan, steps, rates };
}

/** Returns the filter as command-line options. */
export function filterArgs({ keep, without }: PlanFilter): string {
  const kept = keep === null ? '' : ` --keep ${keep.length === 0 ? 'none' : keep.join(',')}`;
  return `${kept}${without.length === 0 ? '' : ` --without ${without.join(',')}`}`;
}

/** The most worlds that shrinking may run. */
const MAX_TRIES = 150;

/**
 * Returns the smallest filter found with which the same property still breaks, by switching off
 * groups of faults and removing steps as long as it does.
 */
export async function shrink(
  result: WorldResult,
  steps: readonly number[],
  run: (filter: PlanFilter) => Promise<WorldResult>,
): Promise<PlanFilter> {
  let tries = 0;
  const stillFails = async (filter: PlanFilter) => {
    tries += 1;
    if (tries > MAX_TRIES) return false;
    return (await run(filter)).violation?.property === result.violation?.property;
  };
  let best: PlanFilter = { without: [], keep: steps };
  if (!(await stillFails(best))) return { without: [], keep: null };
  for (const group of FAULT_GROUPS) {
    const next = { ...best, without: [...best.without, group] };
    if (await stillFails(next)) best = next;
  }
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < (best.keep ?? []).length; ) {
      const keep = (best.keep ?? []).filter((_, index) => index < at || index >= at + size);
      if (await stillFails({ ...best, keep })) best = { ...best, keep };
      else at += size;
    }
  return best;
}
