import type { Contestant } from '../processes/contestants.ts';
import { type Burst, type BurstPlan, prepareBurst } from './file-burst.ts';

/**
 * Runs the same burst for several apps at the same time, each with its own Slack and service: they
 * wait for the rate limit, not for the processor. Results are in the order of the contestants.
 */
export async function compareBursts(
  contestants: Contestant[],
  plan: BurstPlan,
  directory: string,
): Promise<Burst[]> {
  const prepared = await Promise.allSettled(
    contestants.map((contestant) => prepareBurst(contestant, plan, directory)),
  );
  const bursts = prepared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    const failed = prepared.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return await Promise.all(bursts.map((burst) => burst.run()));
  } finally {
    await Promise.all(bursts.map((burst) => burst.stop()));
  }
}
