import type { Clock } from '../base/index.ts';
import { type CallOptions, isPersonLimit } from '../service/index.ts';

/** Limits how many requests each person may make in a window. */
export type PersonalQuota = ReturnType<typeof createPersonalQuota>;

interface PersonalQuotaOptions {
  clock: Clock;
  /** The most requests of one person, running or ended within the window. */
  most: number;
  /** Milliseconds. */
  windowMs: number;
}

interface Taken {
  /** When it stops counting, in milliseconds; null while the request runs. */
  until: number | null;
}

const MIN_WAIT_MS = 1_000;

/** Creates a quota of which nothing is used. */
export function createPersonalQuota({ clock, most, windowMs }: PersonalQuotaOptions) {
  const takenBy = new Map<string, Set<Taken>>();

  function dropOld(): void {
    const now = clock.now();
    for (const [person, taken] of takenBy) {
      for (const one of taken) if (isOver(one, now)) taken.delete(one);
      if (taken.size === 0) takenBy.delete(person);
    }
  }

  // An end more than a window away means that the clock was set back since.
  function isOver({ until }: Taken, now: number): boolean {
    return until !== null && (until <= now || until > now + windowMs);
  }

  return {
    /**
     * Counts a request of this person. The caller calls `end` when the request ends; it counts for
     * one more window. If the quota is used up, returns the wait in milliseconds, at least 1,000.
     */
    take(person: string): { end(): void } | { waitMs: number } {
      dropOld();
      const taken = takenBy.get(person) ?? new Set();
      if (taken.size >= most) return { waitMs: firstReturn(taken, clock.now()) };
      const one: Taken = { until: null };
      takenBy.set(person, taken.add(one));
      const end = () => {
        one.until = clock.now() + windowMs;
      };
      return { end };
    },
  };
}

function firstReturn(taken: ReadonlySet<Taken>, now: number): number {
  const returns = [...taken].map(({ until }) => until).filter((until) => until !== null);
  const next = returns.length === 0 ? now : Math.min(...returns);
  return Math.max(MIN_WAIT_MS, next - now);
}

/** The greatest ages of a cached list, in milliseconds. */
interface CopyAges {
  /** The usual maximum; 0 for a fresh response. */
  wanted: number;
  /** The maximum once the person has used up their share of the rate limit. */
  oldest: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OLDEST_MS = 10 * MINUTE;

/** For a refresh of projects or folders. Not 0, so that simultaneous presses share one response. */
export const ANEW_AGE: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

/** For projects or folders, without a refresh: 10 s, and 3 minutes while files wait. */
export function listAge({ isBusy }: { isBusy(): boolean }): CopyAges {
  return { wanted: isBusy() ? 3 * MINUTE : 10 * SECOND, oldest: OLDEST_MS };
}

/** For a folder's files: 0, but 5 s while files wait and this is the only instance. */
export function filesAge({ isBusy, isAlone }: { isBusy(): boolean; isAlone: boolean }): CopyAges {
  return { wanted: isAlone && isBusy() ? 5 * SECOND : 0, oldest: MINUTE };
}

interface Caller {
  call: CallOptions;
  userId: string;
}

/**
 * Resolves like `ask`. If the person's share of the rate limit is used up, calls `ask` again for an
 * older cached list, and rejects like `ask` if there is none.
 */
export function orCopy<T>(
  { call }: Pick<Caller, 'call'>,
  { wanted, oldest }: CopyAges,
  ask: (call: CallOptions & { maxAgeMs: number }) => Promise<T>,
): Promise<T> {
  return unlessUsed(
    () => ask({ ...call, maxAgeMs: wanted }),
    () => ask({ ...call, maxAgeMs: oldest }),
  );
}

/** Calls `make` for a waiting person; in the bulk lane if their share of the limit is used. */
export function patientCall<T>(
  { call, userId }: Caller,
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  return unlessUsed(
    () => make(call),
    () => make(callInBulk({ userId })),
  );
}

/** Returns the options of a bulk call that a person waits for. */
export function callInBulk({ userId }: Pick<Caller, 'userId'>): CallOptions {
  return { lane: 'bulk', queue: `asked by ${userId}`, isWaitedFor: true };
}

async function unlessUsed<T>(first: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!isPersonLimit(error)) throw error;
    return instead();
  }
}
