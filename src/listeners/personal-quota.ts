import type { Clock } from '../base/index.ts';
import { type CallOptions, isPersonLimit } from '../service/index.ts';

/** How much each person has taken of what all share, in any window. */
export type PersonalQuota = ReturnType<typeof createPersonalQuota>;

export interface PersonalQuotaOptions {
  clock: Clock;
  /** How many one person may have taken, in hand and in the window. */
  most: number;
  /** Milliseconds. */
  windowMs: number;
}

interface Taken {
  /** Null while it is in hand. */
  until: number | null;
}

const MIN_WAIT_MS = 1_000;

/** Nobody has taken any. */
export function createPersonalQuota({ clock, most, windowMs }: PersonalQuotaOptions) {
  const takenBy = new Map<string, Set<Taken>>();

  function dropOld(): void {
    const now = clock.now();
    for (const [person, taken] of takenBy) {
      for (const one of taken) if (isOver(one, now)) taken.delete(one);
      if (taken.size === 0) takenBy.delete(person);
    }
  }

  // One that lasts longer than a window was taken before the clock was set back.
  function isOver({ until }: Taken, now: number): boolean {
    return until !== null && (until <= now || until > now + windowMs);
  }

  return {
    /**
     * Takes one for this person, who calls `end` when it is over: it stays taken for a window from then.
     * For somebody who has as many as one person may, the milliseconds until the next comes back, at
     * least 1,000.
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

/**
 * The ages of copies that will do, in milliseconds: for a person who has asked for as much as one may have
 * of the rate limit, an older one.
 */
export interface CopyAges {
  /** Of the first choice; 0 for a fresh answer. */
  wanted: number;
  /** Where the person has no call left. */
  oldest: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OLDEST_MS = 10 * MINUTE;

/** Of a list of projects or folders that somebody wants anew: two who press at once share one. */
export const ANEW_AGE: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

/** Of such a list that somebody just asks for: seconds, and minutes while files wait for the service. */
export function listAge({ isBusy }: { isBusy(): boolean }): CopyAges {
  return { wanted: isBusy() ? 3 * MINUTE : 10 * SECOND, oldest: OLDEST_MS };
}

/**
 * Of a folder's files: fresh, but seconds old while files wait for the service and nobody else
 * may change it.
 */
export function filesAge({ isBusy, isAlone }: { isBusy(): boolean; isAlone: boolean }): CopyAges {
  return { wanted: isAlone && isBusy() ? 5 * SECOND : 0, oldest: MINUTE };
}

interface Caller {
  call: CallOptions;
  userId: string;
}

/**
 * What `ask` resolves to; for a person who has no call left, what it resolves to with an older copy.
 * Where there is none either, it rejects as `ask` does.
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

/** Makes one of many calls for a person, who waits: what is beyond their quota has its turn with the bulk. */
export function patientCall<T>(
  { call, userId }: Caller,
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  return unlessUsed(
    () => make(call),
    () => make(callInBulk({ userId })),
  );
}

/** How a call is made for a person who waits, in its turn with the bulk. */
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
