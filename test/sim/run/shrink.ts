import type { Outcome } from '../world/run-world.ts';
import { type Cut, FAULT_GROUPS, UNCUT } from './cut-plan.ts';

/** Tries that shrinking may take: each is a world. */
const MAX_TRIES = 150;

/**
 * The least of a plan that still breaks the same property: groups of faults are switched off, and
 * steps cut, as long as it does.
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
