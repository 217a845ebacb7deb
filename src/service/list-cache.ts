import type { Clock } from '../base/index.ts';
import type { CallOptions } from './call.ts';
import { isPersonLimit, isServiceFailure } from './errors.ts';
import { createSharedReadings } from './shared-readings.ts';

/** A request for a list, who may share the reading, and how fresh it must be. */
interface ReadingRequest {
  key: string;
  /** Only callers with the same name share a reading; it names the lane. */
  by: string;
  /** Our clock, in milliseconds since the epoch. */
  now: number;
  /** Accepts only what was read at this time or later. Default: 0. */
  notBefore?: number | undefined;
  signal?: AbortSignal | undefined;
}

type ReadingName = Pick<ReadingRequest, 'key' | 'by'>;

interface ListCacheOptions<T> {
  clock: Clock;
  /** The most that all copies may weigh; the least recently used are evicted first. */
  capacity: number;
  /** Returns a copy's weight; one heavier than the capacity is not kept. */
  weigh(list: T): number;
  /** Returns the age at which a copy expires, in milliseconds. */
  keepMs(list: T): number;
}

/** What is remembered of one list. Forgetting it is safe: the list is then read anew. */
interface Memory<T> {
  copy?: T | undefined;
  /** Our clock when the last reading failed at the service; long ago if it did not. */
  failedAt: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** The most lists remembered: people may type any number of projects. */
export const MAX_LISTS = 5_000;

/** Creates a memory of lists by key: copies, and readings in progress that callers share. */
export function createListCache<T extends { fetchedAt: number }>(options: ListCacheOptions<T>) {
  const { clock, capacity, weigh, keepMs } = options;
  const readings = createSharedReadings<T>();
  // Least recently used first: a Map keeps its insertion order.
  const lists = new Map<string, Memory<T>>();

  /** Returns what is remembered of a list, as the most recently used one now. */
  function recall(key: string): Memory<T> {
    const known = lists.get(key) ?? { failedAt: NEVER };
    lists.delete(key);
    lists.set(key, known);
    const [oldest = key] = lists.keys();
    if (lists.size > MAX_LISTS) lists.delete(oldest);
    return known;
  }

  /** Returns a list's copy, of any age within its expiry; drops all expired copies. */
  function copyOf(key: string): T | undefined {
    const now = clock.now();
    for (const one of lists.values()) {
      if (!one.copy) continue;
      const age = now - one.copy.fetchedAt;
      // A negative age means that the clock was set back: the real age is unknown.
      if (age < 0 || age > keepMs(one.copy)) one.copy = undefined;
    }
    return recall(key).copy;
  }

  function keepNewest(key: string, list: T): T {
    const copy = copyOf(key);
    const known = recall(key);
    known.failedAt = NEVER;
    if (copy && list.fetchedAt < copy.fetchedAt) return list;
    known.copy = weigh(list) > capacity ? undefined : list;
    let total = [...lists.values()].reduce((sum, one) => sum + weightOf(one), 0);
    for (const one of lists.values()) {
      if (total <= capacity) break;
      total -= weightOf(one);
      one.copy = undefined;
    }
    return list;
  }

  const weightOf = ({ copy }: Memory<T>) => (copy ? weigh(copy) : 0);
  const nameOf = ({ key, by }: ReadingName) => `${by} ${key}`;

  async function readNow(key: string, reading: Promise<T>): Promise<T> {
    try {
      return keepNewest(key, await reading);
    } catch (error) {
      if (isServiceFailure(error)) recall(key).failedAt = clock.now();
      throw error;
    }
  }

  return {
    /** The latest reading of that name, while it is in progress. */
    underWay: (name: ReadingName) => readings.underWay(nameOf(name)),
    /**
     * Joins the reading in progress if it is fresh enough; else begins one, which counts as read at
     * `now`. Keeps a copy of the result unless a newer one exists. The signal of `read` aborts when
     * no caller waits any more.
     */
    join: (request: ReadingRequest, read: (signal: AbortSignal) => Promise<T>): Promise<T> =>
      readings.share({ ...request, key: nameOf(request) }, (signal) =>
        readNow(request.key, read(signal)),
      ),
    recall,
    copyOf,
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
export const REFRESH_AGE: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

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
export function orOlderCopy<T>(
  { call }: { call: CallOptions },
  { wanted, oldest }: CopyAges,
  ask: (call: CallOptions & { maxAgeMs: number }) => Promise<T>,
): Promise<T> {
  return ask({ ...call, maxAgeMs: wanted }).catch((error: unknown) => {
    if (!isPersonLimit(error)) throw error;
    return ask({ ...call, maxAgeMs: oldest });
  });
}
