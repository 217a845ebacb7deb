import { drawPlan, type Plan } from '../plan/plan.ts';
import type { Outcome } from '../world/run-world.ts';

/** Groups of faults that can be switched off. */
export const FAULT_GROUPS = ['service', 'slack', 'downloads', 'deliveries', 'disk'] as const;
export type FaultGroup = (typeof FAULT_GROUPS)[number];

/** What a run leaves out of a seed's plan. */
export interface Cut {
  /** Numbers of the steps that stay; null: all. */
  keep: readonly number[] | null;
  without: readonly FaultGroup[];
}

export const UNCUT: Cut = { keep: null, without: [] };

/** Returns the plan of a seed without what was cut. */
export function cutPlan(seed: number, { keep, without }: Cut): Plan {
  const plan = drawPlan(seed);
  const steps = keep === null ? plan.steps : plan.steps.filter(({ id }) => keep.includes(id));
  const rates = { ...plan.rates };
  for (const group of without)
    if (group === 'disk') rates.disk = 0;
    else Object.assign(rates, { [group]: { ...rates[group], probability: 0 } });
  return { ...plan, steps, rates };
}

/** Returns the command-line options that make this cut. */
export function cutWords({ keep, without }: Cut): string {
  const kept = keep === null ? '' : ` --keep ${keep.length === 0 ? 'none' : keep.join(',')}`;
  return `${kept}${without.length === 0 ? '' : ` --without ${without.join(',')}`}`;
}

/** Tries that shrinking may take: each is a world. */
const MAX_TRIES = 150;

/**
 * Returns the smallest cut found that still breaks the same property, by switching off groups of
 * faults and removing steps as long as it does.
 */
export async function shrink(
  outcome: Outcome,
  steps: readonly number[],
  run: (cut: Cut) => Promise<Outcome>,
): Promise<Cut> {
  let tries = 0;
  const stillFails = async (cut: Cut) => {
    tries += 1;
    if (tries > MAX_TRIES) return false;
    return (await run(cut)).violation?.property === outcome.violation?.property;
  };
  let best: Cut = { ...UNCUT, keep: steps };
  if (!(await stillFails(best))) return UNCUT;
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
