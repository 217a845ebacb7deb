import { type Clock, unlessAborted } from '../base/index.ts';

/** When a list was read: by our clock, and after how many changes made to it through this client. */
interface ReadAt {
  fetchedAt: number;
  /** Absent where this client makes no changes. */
  version?: number | undefined;
}

/** How fresh a list must be: read at this time or later, and after so many changes. */
interface Freshness {
  /** Default: 0. */
  notBefore?: number | undefined;
  version?: number | undefined;
}

/** The rule of freshness, for copies and for readings under way. */
export function isFresh(read: ReadAt, { notBefore = 0, version }: Freshness): boolean {
  return read.fetchedAt >= notBefore && read.version === version;
}

interface CopiesOptions<T> {
  clock: Clock;
  /** What all copies weigh at most; those used longest ago go first. */
  capacity: number;
  /** What a copy weighs; one that weighs more than the capacity is not kept. */
  weigh(copy: T): number;
  /** How old a copy is when it goes, in milliseconds. */
  keepMs(copy: T): number;
}

/** Copies of lists. */
export function createCopies<T extends ReadAt>({
  clock,
  capacity,
  weigh,
  keepMs,
}: CopiesOptions<T>) {
  // In the order of use, as a Map keeps its order of insertion.
  const copies = new Map<string, { copy: T; weight: number }>();

  function forgetOld(): void {
    const now = clock.now();
    for (const [key, { copy }] of copies) {
      const age = now - copy.fetchedAt;
      // Of a clock that was set back nobody knows how old it is.
      if (age < 0 || age > keepMs(copy)) copies.delete(key);
    }
  }

  function keep(key: string, copy: T): void {
    const weight = weigh(copy);
    copies.delete(key);
    if (weight > capacity) return;
    copies.set(key, { copy, weight });
    let total = [...copies.values()].reduce((sum, one) => sum + one.weight, 0);
    for (const [oldest, one] of copies) {
      if (total <= capacity) return;
      copies.delete(oldest);
      total -= one.weight;
    }
  }

  return {
    keep,
    /** The copy, however old it is; using it keeps it from giving way. */
    get: (key: string): T | undefined => {
      forgetOld();
      const kept = copies.get(key);
      copies.delete(key);
      if (kept) copies.set(key, kept);
      return kept?.copy;
    },
  };
}

/** What to share a reading by: nobody else waits as long as those do who have to wait for their turns. */
export function readingKey(name: string, { turn }: { turn?: unknown }): string {
  return turn ? `${name} in turns` : name;
}

/** Readings of lists that are under way, each shared by all who ask for the same. */
export function createReadings<T>() {
  type Reading = ReadAt & { list: Promise<T>; waiting: number; stop: AbortController };
  const running = new Map<string, Reading>();

  function begin(key: string, at: ReadAt, read: (signal: AbortSignal) => Promise<T>): Reading {
    const stop = new AbortController();
    const reading = { ...at, list: read(stop.signal), waiting: 0, stop };
    running.set(key, reading);
    const forget = () => void (running.get(key) === reading && running.delete(key));
    stop.signal.addEventListener('abort', forget, { once: true });
    reading.list.then(forget, forget);
    return reading;
  }

  return {
    /** The reading with that key that began last, while it is under way. */
    underWay: (key: string): (ReadAt & { list: Promise<T> }) | undefined => running.get(key),
    /**
     * Joins the reading under way when it is fresh enough for who asks; else begins one, which counts
     * as read at `now`. The signal of `read` aborts when nobody waits for it any more.
     */
    share: async (
      key: string,
      asked: Freshness & { now: number; signal?: AbortSignal | undefined },
      read: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> => {
      const current = running.get(key);
      const { now: fetchedAt, version, signal } = asked;
      const isShared = current && isFresh(current, asked);
      const reading = isShared ? current : begin(key, { fetchedAt, version }, read);
      reading.waiting += 1;
      try {
        return await unlessAborted(reading.list, signal);
      } finally {
        reading.waiting -= 1;
        if (reading.waiting === 0) reading.stop.abort();
      }
    },
  };
}
