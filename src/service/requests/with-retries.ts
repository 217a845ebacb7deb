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
 * pass soon. Any other rejection comes out as it is; but where the person has no call left for a
 * repetition (SERVICE_SHARE_USED), what made it necessary does.
 */
export async function withRetries<T>(
  { lane, signal, clock, random }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const tally = startTally({ lane, clock, random });
  let cause: ServiceError | null = null;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_SHARE_USED') throw cause ?? error;
      const delay = tally.failed(error);
      if (delay === null) throw error;
      cause = error;
      await clock.sleep(delay, signal);
    }
  }
}
