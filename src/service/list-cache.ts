import { type Clock, unlessAborted } from '../base/index.ts';

/** Which list is asked for, by whom, when, and how fresh it must be. */
interface AskedList {
  key: string;
  /** Only those of the same name share a reading, which may differ in lane and in what it reads. */
  by: string;
  /** Set where each request of the reading awaits a turn: as it is slow, only others that do share it. */
  turn?: unknown;
  /** Our clock. */
  now: number;
  /** Read at this time or later. Default: 0. */
  notBefore?: number | undefined;
  /** After how many changes made through this client; absent where it makes none. */
  version?: number | undefined;
  signal?: AbortSignal | undefined;
}

type ReadingName = Pick<AskedList, 'key' | 'by' | 'turn'>;
type Freshness = Pick<AskedList, 'notBefore' | 'version'>;
type ReadAt = { fetchedAt: number } & Pick<AskedList, 'version'>;

/** The rule of freshness, for copies and for readings under way. */
export function isFresh(read: ReadAt, { notBefore = 0, version }: Freshness): boolean {
  return read.fetchedAt >= notBefore && read.version === version;
}

interface ListCacheOptions<T> {
  clock: Clock;
  /** What all copies weigh at most; those used longest ago go first. */
  capacity: number;
  /** What a copy weighs; one that weighs more than the capacity is not kept. */
  weigh(list: T): number;
  /** How old a copy is when it goes, in milliseconds; 0 for a list that is not kept at all. */
  keepMs(list: T): number;
}

/** Lists by key: copies of them, and readings under way, each shared by all who ask for the same. */
export function createListCache<T extends { fetchedAt: number }>(options: ListCacheOptions<T>) {
  const { clock, capacity, weigh, keepMs } = options;
  type Copy = ReadAt & { list: T; weight: number };
  type Reading = ReadAt & { list: Promise<T>; waiting: number; stop: AbortController };
  // In the order of use, as a Map keeps its order of insertion.
  const copies = new Map<string, Copy>();
  const running = new Map<string, Reading>();

  function forgetOld(): void {
    const now = clock.now();
    for (const [key, { list }] of copies) {
      const age = now - list.fetchedAt;
      // Of a clock that was set back nobody knows how old it is.
      if (age < 0 || age > keepMs(list)) copies.delete(key);
    }
  }

  // Using a copy keeps it from giving way.
  function use(key: string): Copy | undefined {
    forgetOld();
    const copy = copies.get(key);
    copies.delete(key);
    if (copy) copies.set(key, copy);
    return copy;
  }

  function keep(key: string, list: T, version?: number): void {
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

  function keepNewest({ key, version }: AskedList, list: T): T {
    const copy = use(key);
    const isNewest =
      !copy || (list.fetchedAt >= copy.fetchedAt && (version ?? 0) >= (copy.version ?? 0));
    if (isNewest && keepMs(list) > 0) keep(key, list, version);
    return list;
  }

  const nameOf = ({ key, by, turn }: ReadingName) => `${by} ${key}${turn ? ' in turns' : ''}`;

  function begin(asked: AskedList, read: (signal: AbortSignal) => Promise<T>): Reading {
    const { now: fetchedAt, version } = asked;
    const name = nameOf(asked);
    const stop = new AbortController();
    const list = read(stop.signal).then((one) => keepNewest(asked, one));
    const reading = { fetchedAt, version, list, waiting: 0, stop };
    running.set(name, reading);
    const forget = () => void (running.get(name) === reading && running.delete(name));
    stop.signal.addEventListener('abort', forget, { once: true });
    list.then(forget, forget);
    return reading;
  }

  /** The reading of that name that began last, while it is under way. */
  const underWay = (name: ReadingName): Reading | undefined => running.get(nameOf(name));

  /**
   * Joins the reading under way when it is fresh enough for who asks; else begins one, which counts
   * as read at `now`; a copy of it is kept, unless a newer one is there. The signal of `read` aborts
   * when nobody waits for it any more.
   */
  async function share(asked: AskedList, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const current = underWay(asked);
    const reading = current && isFresh(current, asked) ? current : begin(asked, read);
    reading.waiting += 1;
    try {
      return await unlessAborted(reading.list, asked.signal);
    } finally {
      reading.waiting -= 1;
      if (reading.waiting === 0) reading.stop.abort();
    }
  }

  return {
    underWay,
    share,
    /** The copy, however old it is. */
    known: (key: string): T | undefined => use(key)?.list,
    /** The copy, where it is fresh enough. */
    recent: (key: string, asked: Freshness): T | undefined => {
      const copy = use(key);
      return copy && isFresh(copy, asked) ? copy.list : undefined;
    },
    /** Puts in the place of a copy what `change` makes of it; it is as fresh as that was. */
    amend: (key: string, change: (list: T) => T): void => {
      const copy = use(key);
      if (copy) keep(key, change(copy.list), copy.version);
    },
  };
}
