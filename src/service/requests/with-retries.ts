import type { Clock, Random } from '../../base/index.ts';
import type { Lane } from '../throttle/throttle.ts';
import { startTally } from './retry-tally.ts';
import { ServiceError } from './service-error.ts';

export interface RetryOptions {
  lane: Lane;
  signal: AbortSignal | undefined;
  clock: Clock;
  random: Random;
}

/**
 * Repeats `attempt`, which must be safe to repeat, while it rejects with a ServiceError that may
 * pass soon. Any other rejection comes out as it is.
 */
export async function withRetries<T>(
  { lane, signal, clock, random }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const tally = startTally({ lane, clock, random });
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const delay = error instanceof ServiceError ? tally.failed(error) : null;
      if (delay === null) throw error;
      await clock.sleep(delay, signal);
    }
  }
}
