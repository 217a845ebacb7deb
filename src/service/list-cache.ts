import { type Clock, unlessAborted } from '../base/index.ts';
import type { CallOptions } from './call.ts';
import { isPersonLimit, isServiceFailure } from './errors.ts';

/** A request for a list: its key, who may share the reading, and how fresh it must be. */
interface ReadingRequest {
  key: string;
  /** Only callers with the same name share a reading; it names the lane and the kind of reading. */
  by: string;
  /** Our clock, in milliseconds since the epoch. */
  now: number;
  /** Accepts only what was read at this time or later. Default: 0. */
  notBefore?: number | undefined;
  /** Accepts only what was read at this version of the list: see Memory. */
  version: number;
  signal?: AbortSignal | undefined;
}

type ReadingName = Pick<ReadingRequest, 'key' | 'by'>;
type Freshness = Pick<ReadingRequest, 'notBefore' | 'version'>;
type ReadAt = { fetchedAt: number; version: number };

/** One reason for all readings: a new error each would capture a stack, which holds their lists. */
const NOT_WANTED = new Error('nobody waits for this list any more');

/** Whether a copy or a reading in progress is fresh enough. */
export function isFresh(read: ReadAt, { notBefore = 0, version }: Freshness): boolean {
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

type Copy<T> = ReadAt & { list: T; weight: number };

/** What is remembered of one list. Forgetting it is safe: the list is then read anew. */
interface Memory<T> {
  /** Grows with each change. No two lists share one, so that of a forgotten one never returns. */
  version: number;
  copy?: Copy<T> | undefined;
  /** Our clock when the last reading failed at the service; long ago if it did not. */
  failedAt: number;
  /** The room that a copy needs, as the cache's owner noted it; stays when the copy is dropped. */
  weight: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** The most lists remembered: people may type any number of folders and projects. */
export const MAX_LISTS = 5_000;

/** Creates a memory of lists by key: copies, and readings in progress that callers share. */
export function createListCache<T extends { fetchedAt: number }>(options: ListCacheOptions<T>) {
  const { clock, capacity, weigh, keepMs } = options;
  type Reading = ReadAt & { list: Promise<T>; waiting: number; end(): void };
  // Least recently used first: a Map keeps its insertion order.
  const lists = new Map<string, Memory<T>>();
  const running = new Map<string, Reading>();
  let versions = 0;

  /** Returns what is remembered of a list, as the most recently used one now. */
  function recall(key: string): Memory<T> {
    const known = lists.get(key) ?? { version: ++versions, failedAt: NEVER, weight: 0 };
    lists.delete(key);
    lists.set(key, known);
    const [oldest = key] = lists.keys();
    if (lists.size > MAX_LISTS) lists.delete(oldest);
    return known;
  }

  /** Returns a list's copy, of any age within its expiry; drops all expired copies. */
  function copyOf(key: string): Copy<T> | undefined {
    const now = clock.now();
    for (const one of lists.values()) {
      if (!one.copy) continue;
      const age = now - one.copy.fetchedAt;
      // A negative age means that the clock was set back: the real age is unknown.
      if (age < 0 || age > keepMs(one.copy.list)) one.copy = undefined;
    }
    return recall(key).copy;
  }

  function keep(key: string, list: T, version: number): void {
    const weight = weigh(list);
    const copy = { list, weight, fetchedAt: list.fetchedAt, version };
    recall(key).copy = weight > capacity ? undefined : copy;
    let total = [...lists.values()].reduce((sum, { copy }) => sum + (copy?.weight ?? 0), 0);
    for (const one of lists.values()) {
      if (total <= capacity) return;
      total -= one.copy?.weight ?? 0;
      one.copy = undefined;
    }
  }

  function keepNewest(key: string, list: T, version: number): T {
    const copy = copyOf(key);
    recall(key).failedAt = NEVER;
    const isNewest = !copy || (list.fetchedAt >= copy.fetchedAt && version >= copy.version);
    if (isNewest && keepMs(list) > 0) keep(key, list, version);
    return list;
  }

  const nameOf = ({ key, by }: ReadingName) => `${by} ${key}`;

  function begin(request: ReadingRequest, read: (signal: AbortSignal) => Promise<T>): Reading {
    const { key, now: fetchedAt, version } = request;
    const name = nameOf(request);
    const stop = new AbortController();
    const list = read(stop.signal).then((one) => keepNewest(key, one, version));
    const end = (): void => {
      if (running.get(name) === reading) running.delete(name);
      stop.abort(NOT_WANTED);
    };
    const reading = { fetchedAt, version, list, waiting: 0, end };
    running.set(name, reading);
    list.then(end, (error: unknown) => {
      if (isServiceFailure(error)) recall(key).failedAt = clock.now();
      end();
    });
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
    recall,
    copyOf,
    drop: (key: string): void => {
      recall(key).copy = undefined;
    },
    /** Begins a new version of a list: copies and readings of earlier ones are not fresh. */
    outdate: (key: string): void => {
      recall(key).version = ++versions;
    },
    /** Replaces a copy by what `change` returns; its freshness stays the same. */
    amend: (key: string, change: (list: T) => T): void => {
      const copy = copyOf(key);
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
