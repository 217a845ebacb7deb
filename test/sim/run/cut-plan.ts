import { drawPlan, type Plan } from '../world/plan.ts';

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
