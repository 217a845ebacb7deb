import { type Clock, unlessAborted } from '../base/index.ts';
import type { CallOptions } from './call.ts';
import { isPersonLimit } from './errors.ts';

/** A request for a list: its key, who may share the reading, and how fresh it must be. */
interface ReadingRequest {
  key: string;
  /** Only callers with the same name share a reading; it names the lane and the kind of reading. */
  by: string;
  /** Our clock, in milliseconds since the epoch. */
  now: number;
  /** Accepts only what was read at this time or later. Default: 0. */
  notBefore?: number | undefined;
  /** The number of changes made through this client so far. Default: 0, where it makes none. */
  version?: number | undefined;
  signal?: AbortSignal | undefined;
}

type ReadingName = Pick<ReadingRequest, 'key' | 'by'>;
type Freshness = Pick<ReadingRequest, 'notBefore' | 'version'>;
type ReadAt = { fetchedAt: number; version: number };

/** One reason for all readings: a new error each would capture a stack, which holds their lists. */
const NOT_WANTED = new Error('nobody waits for this list any more');

/** Whether a copy or a reading in progress is fresh enough. */
export function isFresh(read: ReadAt, { notBefore = 0, version = 0 }: Freshness): boolean {
  return read.fetchedAt >= notBefore && read.version === version;
}

interface ListCacheOptions<T> {
  clock: Clock;
  /** The most that all copies may weigh; the least recently used are evicted first. */
  capacity: number;
  /** Returns a copy's weight; one heavier than the capacity is not kept. */
  weigh(list: T): number;
  /** Returns the age at which a copy expires, in milliseconds; 0 for a list that is not kept. */
  keepMs(list: T): number;
}

/** Creates a cache of lists by key: copies, and readings in progress that callers share. */
export function createListCache<T extends { fetchedAt: number }>(options: ListCacheOptions<T>) {
  const { clock, capacity, weigh, keepMs } = options;
  type Copy = ReadAt & { list: T; weight: number };
  type Reading = ReadAt & { list: Promise<T>; waiting: number; end(): void };
  // Least recently used first: a Map keeps its insertion order.
  const copies = new Map<string, Copy>();
  const running = new Map<string, Reading>();

  // Returns a copy, as the most recently used one now; drops all expired copies.
  function use(key: string): Copy | undefined {
    const now = clock.now();
    for (const [each, { list }] of copies) {
      const age = now - list.fetchedAt;
      // A negative age means that the clock was set back: the real age is unknown.
      if (age < 0 || age > keepMs(list)) copies.delete(each);
    }
    const copy = copies.get(key);
    copies.delete(key);
    if (copy) copies.set(key, copy);
    return copy;
  }

  function keep(key: string, list: T, version: number): void {
    const weight = weigh(list);
    copies.delete(key);
    if (weight > capacity) return;
    copies.set(key, { list, weight, fetchedAt: list.fetchedAt, version });
    let total = [...copies.values()].reduce((sum, one) => sum + one.weight, 0);
    for (const [oldest, one] of copies) {
      if (total <= capacity) return;
      copies.delete(oldest);
      total -= one.weight;
    }
  }

  function keepNewest(key: string, list: T, version: number): T {
    const copy = use(key);
    const isNewest = !copy || (list.fetchedAt >= copy.fetchedAt && version >= copy.version);
    if (isNewest && keepMs(list) > 0) keep(key, list, version);
    return list;
  }

  const nameOf = ({ key, by }: ReadingName) => `${by} ${key}`;

  function begin(request: ReadingRequest, read: (signal: AbortSignal) => Promise<T>): Reading {
    const { key, now: fetchedAt, version = 0 } = request;
    const name = nameOf(request);
    const stop = new AbortController();
    const list = read(stop.signal).then((one) => keepNewest(key, one, version));
    const end = (): void => {
      if (running.get(name) === reading) running.delete(name);
      stop.abort(NOT_WANTED);
    };
    const reading = { fetchedAt, version, list, waiting: 0, end };
    running.set(name, reading);
    list.then(end, end);
    return reading;
  }

  /** The latest reading of that name, while it is in progress. */
  const underWay = (name: ReadingName): Reading | undefined => running.get(nameOf(name));

  /**
   * Joins the reading in progress if it is fresh enough; else begins one, which counts as read at
   * `now`. Keeps a copy of the result unless a newer one exists. The signal of `read` aborts when
   * no caller waits any more.
   */
  async function join(
    request: ReadingRequest,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const current = underWay(request);
    const reading = current && isFresh(current, request) ? current : begin(request, read);
    reading.waiting += 1;
    try {
      return await unlessAborted(reading.list, request.signal);
    } finally {
      reading.waiting -= 1;
      if (reading.waiting === 0) reading.end();
    }
  }

  return {
    underWay,
    join,
    /** Returns the copy, of any age within its expiry. */
    known: (key: string): T | undefined => use(key)?.list,
    /** Returns the copy if it is fresh enough. */
    recent: (key: string, request: Freshness): T | undefined => {
      const copy = use(key);
      return copy && isFresh(copy, request) ? copy.list : undefined;
    },
    /** Replaces a copy by what `change` returns; its freshness stays the same. */
    amend: (key: string, change: (list: T) => T): void => {
      const copy = use(key);
      if (copy) keep(key, change(copy.list), copy.version);
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
