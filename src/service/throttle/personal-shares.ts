import type { Clock } from '../../base/index.ts';
import { ServiceError } from '../requests/service-error.ts';

/** How many of the places that people have each single person has taken. */
export interface PersonalShares {
  /**
   * Takes one for a call of this person; call what it returns when the call is over.
   *
   * @throws ServiceError SERVICE_SHARE_USED when the person has as many as one person may have
   */
  take(person: string): (outcome: { sent: boolean }) => void;
}

export interface PersonalSharesOptions {
  clock: Clock;
  /** How many one person may have. */
  most: () => number;
  /** How long each is kept after its call, in milliseconds. */
  holdMs: number;
}

interface Taken {
  /** Null while its call waits or is under way. */
  until: number | null;
}

/** Nobody has any at first. A call counts from when it asks for a place to the end of its window. */
export function createPersonalShares(options: PersonalSharesOptions): PersonalShares {
  const { clock, most, holdMs } = options;
  const shares = new Map<string, Set<Taken>>();

  function dropOld(): void {
    const now = clock.now();
    for (const [person, taken] of shares) {
      for (const one of taken) if (one.until !== null && one.until <= now) taken.delete(one);
      if (taken.size === 0) shares.delete(person);
    }
  }

  return {
    take(person) {
      dropOld();
      const taken = shares.get(person) ?? new Set();
      if (taken.size >= most()) throw shareUsed(taken, clock.now());
      const one: Taken = { until: null };
      shares.set(person, taken.add(one));
      return ({ sent }) => {
        if (sent) one.until = clock.now() + holdMs;
        else taken.delete(one);
      };
    },
  };
}

function shareUsed(taken: ReadonlySet<Taken>, now: number): ServiceError {
  const ends = [...taken].map(({ until }) => until).filter((until) => until !== null);
  const waitMs = ends.length === 0 ? 0 : Math.min(...ends) - now;
  return new ServiceError('SERVICE_SHARE_USED', 'one person has all places that one may have', {
    retry: 'later',
    sent: 'no',
    retryAfterMs: Math.max(1_000, waitMs),
  });
}
