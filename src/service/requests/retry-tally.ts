import type { Clock, Random } from '../../base/index.ts';
import type { Lane } from '../throttle/throttle.ts';
import { nextDelay } from './retry-delay.ts';
import type { ServiceError } from './service-error.ts';

/** Counts the failures of one call. */
export interface RetryTally {
  /** Counts a failure; the wait before the next attempt in milliseconds, null for no further one. */
  failed(error: ServiceError): number | null;
}

/** Begins to count, for a call made now. */
export function startTally(given: { lane: Lane; clock: Clock; random: Random }): RetryTally {
  const { lane, clock, random } = given;
  const startedAt = clock.now();
  let attempts = 0;
  let rateLimited = 0;
  return {
    failed: (error) => {
      const limited = error.code === 'SERVICE_RATE_LIMITED';
      if (limited) rateLimited += 1;
      if (!limited || lane === 'interactive') attempts += 1;
      const elapsedMs = clock.now() - startedAt;
      return nextDelay({ lane, elapsedMs, attempts, rateLimited }, error, random.fraction());
    },
  };
}
