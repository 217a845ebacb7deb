import { pigeonhole, rivals } from '../processes/contestants.ts';
import { type Burst, type BurstPlan, prepareBurst } from './file-burst.ts';

/**
 * The same burst for Pigeonhole and each rival, all at the same time, each with a Slack and a
 * service of its own: they wait for the rate limit, not for the processor. Pigeonhole comes first.
 */
export async function compareBursts(plan: BurstPlan, directory: string): Promise<Burst[]> {
  const bursts = await Promise.all(
    [pigeonhole, ...rivals].map((contestant) => prepareBurst(contestant, plan, directory)),
  );
  try {
    return await Promise.all(bursts.map((burst) => burst.run()));
  } finally {
    await Promise.all(bursts.map((burst) => burst.stop()));
  }
}

/** One burst for Pigeonhole alone on the machine. */
export async function burstAlone(plan: BurstPlan, directory: string): Promise<Burst> {
  const burst = await prepareBurst(pigeonhole, plan, directory);
  try {
    return await burst.run();
  } finally {
    await burst.stop();
  }
}
