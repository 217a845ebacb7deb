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
  person: string;
  /** When it stops counting, in milliseconds; null while the request runs. */
  until: number | null;
}

const MIN_WAIT_MS = 1_000;

/** Creates a quota of which nothing is used. */
export function createPersonalQuota({ clock, most, windowMs }: PersonalQuotaOptions) {
  let taken: Taken[] = [];
  return {
    /**
     * Counts a request of this person. The caller calls `end` when the request ends; it counts for
     * one more window. If the quota is used up, returns the wait in milliseconds, at least 1,000.
     */
    take(person: string): { end(): void } | { waitMs: number } {
      const now = clock.now();
      // An end more than a window away means that the clock was set back since.
      taken = taken.filter(
        ({ until }) => until === null || (until > now && until <= now + windowMs),
      );
      const own = taken.filter((one) => one.person === person);
      const [next = now] = own.flatMap(({ until }) => until ?? []).sort((a, b) => a - b);
      if (own.length >= most) return { waitMs: Math.max(MIN_WAIT_MS, next - now) };
      const one: Taken = { person, until: null };
      taken.push(one);
      const end = () => {
        one.until = clock.now() + windowMs;
      };
      return { end };
    },
  };
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

/**
 * Resolves like `ask`. If the person's share of the rate limit is used up, calls `ask` again for an
 * older cached list, and rejects like `ask` if there is none.
 */
export function orCopy<T>(
  { call }: { call: CallOptions },
  { wanted, oldest }: CopyAges,
  ask: (call: CallOptions & { maxAgeMs: number }) => Promise<T>,
): Promise<T> {
  const older = () => ask({ ...call, maxAgeMs: oldest });
  return ask({ ...call, maxAgeMs: wanted }).catch(ifUsed(older));
}

/** Calls `make` for a waiting person; in the bulk lane if their share of the limit is used. */
export function patientCall<T>(
  { call, userId }: { call: CallOptions; userId: string },
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  return make(call).catch(ifUsed(() => make(callInBulk({ userId }))));
}

/** Returns the options of a bulk call that a person waits for. */
export function callInBulk({ userId }: { userId: string }): CallOptions {
  return { lane: 'bulk', queue: `asked by ${userId}`, isWaitedFor: true };
}

function ifUsed<T>(instead: () => Promise<T>) {
  return (error: unknown): Promise<T> => {
    if (!isPersonLimit(error)) throw error;
    return instead();
  };
}
