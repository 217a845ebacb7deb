import { type Clock, unlessAborted } from '../base/index.ts';

/** When a list was read: by our clock, and after how many changes made to it through this client. */
export interface ReadAt {
  fetchedAt: number;
  /** Default: 0. */
  version?: number;
}

/** How fresh a list must be: read at this time or later, and after so many changes. */
export interface Freshness {
  /** Default: 0. */
  notBefore?: number | undefined;
  /** Default: 0. */
  version?: number;
}

export interface ListCacheOptions<T> {
  clock: Clock;
  /** What all copies weigh at most; those used longest ago go first. */
  capacity: number;
  /** What a copy weighs; one that weighs more than the capacity is not kept. */
  weigh(copy: T): number;
  /** How old a copy is when it goes, in milliseconds. */
  keepMs(copy: T): number;
}

/** A reading under way. */
export interface Reading<T> extends ReadAt {
  list: Promise<T>;
}

/** Copies of lists, and the readings of lists that are under way. */
export interface ListCache<T> {
  keep(key: string, copy: T): void;
  /** The copy, however old it is; using it keeps it from giving way. */
  copy(key: string): T | undefined;
  /** The reading with that key that began last, while it is under way. */
  underWay(key: string): Reading<T> | undefined;
  /**
   * Joins the reading under way when it is fresh enough for who asks; else begins one, which counts as
   * read at `now`. The signal of `read` aborts when nobody waits for it any more.
   */
  share(
    key: string,
    asked: Freshness & { now: number; signal?: AbortSignal | undefined },
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/** The rule of freshness, for copies and for readings under way. */
export function isFresh(read: ReadAt, { notBefore = 0, version = 0 }: Freshness): boolean {
  return read.fetchedAt >= notBefore && (read.version ?? 0) === version;
}

export function createListCache<T extends { fetchedAt: number }>(
  options: ListCacheOptions<T>,
): ListCache<T> {
  return { ...createCopies(options), ...createReadings<T>() };
}

function createCopies<T extends { fetchedAt: number }>({
  clock,
  capacity,
  weigh,
  keepMs,
}: ListCacheOptions<T>): Pick<ListCache<T>, 'keep' | 'copy'> {
  // In the order of use, as a Map keeps its order of insertion.
  const copies = new Map<string, { copy: T; weight: number }>();
  let total = 0;

  function forget(key: string): void {
    total -= copies.get(key)?.weight ?? 0;
    copies.delete(key);
  }

  function put(key: string, copy: T, weight: number): void {
    forget(key);
    if (weight > capacity) return;
    copies.set(key, { copy, weight });
    total += weight;
    for (const oldest of copies.keys()) if (total > capacity) forget(oldest);
  }

  function forgetOld(): void {
    const now = clock.now();
    for (const [key, { copy }] of copies) {
      const age = now - copy.fetchedAt;
      // Of a clock that was set back nobody knows how old it is.
      if (age < 0 || age > keepMs(copy)) forget(key);
    }
  }

  return {
    keep: (key, copy) => {
      forgetOld();
      put(key, copy, weigh(copy));
    },
    copy: (key) => {
      forgetOld();
      const kept = copies.get(key);
      if (kept) put(key, kept.copy, kept.weight);
      return kept?.copy;
    },
  };
}

function createReadings<T>(): Pick<ListCache<T>, 'share' | 'underWay'> {
  const running = new Map<string, Reading<T> & { waiting: number; stop: AbortController }>();

  function forget(key: string, reading: Reading<T>): void {
    if (running.get(key) === reading) running.delete(key);
  }

  function begin(key: string, at: ReadAt, read: (signal: AbortSignal) => Promise<T>) {
    const stop = new AbortController();
    const reading = { ...at, list: read(stop.signal), waiting: 0, stop };
    running.set(key, reading);
    const ended = () => forget(key, reading);
    reading.list.then(ended, ended);
    return reading;
  }

  return {
    underWay: (key) => running.get(key),
    share: async (key, { now: fetchedAt, version = 0, notBefore, signal }, read) => {
      const current = running.get(key);
      const isShared = current && isFresh(current, { notBefore, version });
      const reading = isShared ? current : begin(key, { fetchedAt, version }, read);
      reading.waiting += 1;
      try {
        return await unlessAborted(reading.list, signal);
      } finally {
        reading.waiting -= 1;
        if (reading.waiting === 0) {
          forget(key, reading);
          reading.stop.abort();
        }
      }
    },
  };
}
