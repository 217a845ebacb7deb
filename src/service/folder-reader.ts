import { type Clock, type Logger, unlessAborted } from '../base/index.ts';
import {
  type Destination,
  type FolderRecord,
  folderNumber,
  isProof,
  type ListOrder,
  orderOfNumbers,
} from '../transfers/index.ts';
import { type CallOptions, laneName } from './call.ts';
import { ServiceError } from './errors.ts';
import {
  beginList,
  type Identified,
  type Listing,
  type ListSource,
  PAGE_SIZE,
  type Page,
  readOn,
  readQuickly,
} from './list.ts';
import type { NameCache } from './name-cache.ts';
import { findNewest } from './newest.ts';
import { createSharedReadings } from './shared-readings.ts';

/** What is known of a folder as a whole; times by our clock unless said otherwise. */
interface MirroredFolder {
  id: number;
  /** The number of the reading that has begun. */
  counter: number;
  /** The number of the last write. */
  written: number;
  listOrder: ListOrder | null;
  paged: number;
  highest: number;
  unreadable: number;
  readAt: number | null;
  completeAt: number | null;
  serviceTime: number | null;
}

/** What lists of folders have shown, as the ledger keeps it: see its mirror.ts. */
export interface Mirror {
  findFolder(folder: Destination): Promise<MirroredFolder | undefined>;
  beginReading(folder: Destination, now: number): Promise<MirroredFolder>;
  dropUnusedRecords(now: number): Promise<boolean>;
  applyListed(
    id: number,
    listed: { records: readonly FolderRecord[]; asked: number | null },
  ): Promise<{ before: number; after: number }>;
  liveNumbers(
    id: number,
    part: { after: number; limit: number; now: number },
  ): Promise<{ numbers: number[]; last: number | null }>;
  markMissing(
    id: number,
    missed: { numbers: readonly number[]; asked: number; now: number },
  ): Promise<void>;
  noteComplete(
    id: number,
    proof: {
      completeAt: number;
      readAt?: number;
      serviceTime: number | null;
      unreadable: number;
      listOrder: ListOrder | null;
      paged: number;
      highest: number;
      only?: { written: number; count: number };
    },
  ): Promise<boolean>;
  countRecords(id: number): Promise<number>;
  countBelow(id: number, number: number): Promise<number>;
  newestRecords(id: number, page: { limit: number }): Promise<FolderRecord[]>;
  recordsNumbered(
    id: number,
    numbers: readonly number[],
  ): Promise<ReadonlyMap<number, FolderRecord>>;
  /** Those of these records that we filed, and that still are what was filed. */
  filedRecords(
    folder: Destination,
    records: readonly FolderRecord[],
  ): Promise<ReadonlyMap<number, unknown>>;
}

export interface ReadOptions extends CallOptions {
  /** The greatest age of an acceptable reading, in milliseconds. Default: 0, a new one. */
  maxAgeMs?: number | undefined;
  /** A reading that began earlier, by our clock, is not shared. Default: 0. */
  notBefore?: number | undefined;
  /** Whether the folder is known to exist. Default: false, it is checked. */
  isThere?: boolean | undefined;
}

/** A folder after it was read: its records are in the mirror. */
export interface FolderReading {
  /** The folder's identifier in the mirror. */
  folder: number;
  /** Whether the mirror holds all records that the folder had at `fetchedAt`, and no others. */
  complete: boolean;
  /** Records of the list that cannot be read. */
  unreadable: number;
  /** Our clock at the first request. */
  fetchedAt: number;
  /** The service's clock at its response; null without one. */
  serviceTime: number | null;
}

/** A folder, as far as a few requests show it. */
interface FolderGlimpse {
  reading: FolderReading;
  /** While there may be more, files certain to be the newest: none if those are unknown. */
  newest: readonly FolderRecord[] | null;
  /** Resolves once the rest is read; null if nothing is missing or the rest cannot be read. */
  readRest: (() => Promise<FolderReading>) | null;
}

/** What a folder holds under a number. */
interface FoundRecord {
  /** Null if it holds none, or none that its list shows. */
  record: FolderRecord | null;
  /** Whether that is certain. */
  certain: boolean;
  /** The reading that shows it; null if only the page with the record was read. */
  reading: FolderReading | null;
}

interface FolderReaderOptions {
  mirror: Mirror;
  pagesOf(folder: Destination, call: CallOptions): ListSource<FolderRecord>;
  names: Pick<NameCache, 'isFolderListed'>;
  clock: Clock;
  logger: Logger;
}

export type FolderReader = ReturnType<typeof createFolderReader>;

/** How long a reading from start to end is trusted for changes to older records. */
const READ_ANEW_MS = 60 * 60_000;
/** The readings of a changing folder to wait for before starting another beside them. */
const MAX_TRIES = 3;
/** Records written, and compared, at once: a few milliseconds of work. */
const WRITTEN_AT_ONCE = 200;
const COMPARED_AT_ONCE = 5_000;
/** How often records of unused folders are dropped, in milliseconds. */
const DROP_EVERY_MS = 60 * 60_000;

type Request = ReadOptions & { destination: Destination; key: string; now: number };

/** A reading in progress. */
interface Begun {
  folder: MirroredFolder;
  /** The number of the next page's request: that of the reading, or of its last write. */
  asked: number;
  /** The number of the folder's last write, as far as the reading knows. */
  written: number;
  /** Whether nobody else has written to the folder's records since. */
  isAlone: boolean;
  isThere: boolean;
}

type Quick = {
  reading: FolderReading;
  /** Finds files certain to be the newest; none if those are unknown. */
  newest: () => Promise<readonly FolderRecord[]>;
  rest: ((request: Request) => Promise<FolderReading>) | null;
};

/**
 * Creates the reader of folders into the mirror. Callers share readings. A list of one answer is read
 * whole; of a long one that was read before, only what is new, and all of it again after an hour or
 * once its length shows another change.
 */
export function createFolderReader(options: FolderReaderOptions) {
  const { mirror, pagesOf, names, clock, logger } = options;
  const quick = createSharedReadings<Quick>();
  const whole = createSharedReadings<FolderReading>();
  let droppedAt = 0;

  function requestFor(destination: Destination, given: ReadOptions): Request {
    given.signal?.throwIfAborted();
    return { ...given, destination, key: folderNumber(destination), now: clock.now() };
  }

  async function begin({ destination, isThere = false }: Request): Promise<Begun> {
    const now = clock.now();
    if (now - droppedAt > DROP_EVERY_MS) {
      droppedAt = now;
      void dropUnused().catch((error: unknown) => logger.warn({ error }, NOT_DROPPED));
    }
    const folder = await mirror.beginReading(destination, now);
    const { counter: asked, written } = folder;
    return { folder, asked, written, isAlone: true, isThere };
  }

  async function dropUnused(): Promise<void> {
    while (await mirror.dropUnusedRecords(clock.now()));
  }

  /** Returns the folder's pages; each is in the mirror before it is handed on. */
  function mirrored(begun: Begun, request: Request, call: Partial<CallOptions> = {}) {
    const options = { ...request, ...call };
    const source = pagesOf(request.destination, options);
    const readPage = async (start: number | null) => {
      const { asked } = begun;
      const page = await source.readPage(start);
      const records = page.entries.filter((entry) => entry !== null);
      await ensureThere(begun, { records, askedAt: page.askedAt, request });
      for (let at = 0; at < records.length; at += WRITTEN_AT_ONCE) {
        const some = records.slice(at, at + WRITTEN_AT_ONCE);
        const { before, after } = await mirror.applyListed(begun.folder.id, {
          records: some,
          asked,
        });
        begun.isAlone &&= before === begun.written;
        begun.asked = after > before ? after : begun.asked;
        begun.written = after;
      }
      return page;
    };
    return { ...source, readPage };
  }

  /**
   * Rejects with SERVICE_NOT_FOUND if the account's list of folders lacks this one. For a missing
   * folder, some accounts return no files or those of all others (service interface, appendix 2,
   * R5). It exists if we filed one of the `records` there, or if the account lists it.
   */
  async function ensureThere(
    begun: Begun,
    { records, askedAt, request }: { records: FolderRecord[]; askedAt: number; request: Request },
  ): Promise<void> {
    if (begun.isThere) return;
    const { destination, lane, queue, signal, turn, isWaitedFor } = request;
    // The service may list newest first or last; the newest are at one of the ends.
    const ends = [...records.slice(0, MAX_PROVING), ...records.slice(-MAX_PROVING)];
    if ((await mirror.filedRecords(destination, ends)).size === 0) {
      const maxAgeMs = Math.max(0, clock.now() - askedAt);
      const confirmMs = records.length === 0 ? CONFIRM_EMPTY_MS : undefined;
      const call = { lane, queue, signal, turn, isWaitedFor, maxAgeMs, confirmMs };
      if ((await names.isFolderListed(destination, call)) === false) throw notThere(destination);
    }
    begun.isThere = true;
  }

  function readingOf({ folder }: Begun, list: Proven): FolderReading {
    const { fetchedAt, serviceTime, unreadable, complete } = list;
    return { folder: folder.id, complete, unreadable, fetchedAt, serviceTime };
  }

  /** Ends a reading: marks what is gone, and notes whether all records are known. */
  async function conclude(
    begun: Begun,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<FolderReading> {
    const { folder } = begun;
    const { fetchedAt, serviceTime, paged } = list;
    const unreadable = list.unreadable.size;
    const missing = await missingFrom(begun, list, source);
    const complete = missing !== null;
    if (complete) {
      await markMissing(folder.id, missing, folder.counter);
      const numbers = [...list.records.keys()];
      const listOrder = orderOfNumbers(numbers);
      const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
      const known = { listOrder, paged: paged ? 1 : 0, highest, unreadable, serviceTime };
      await mirror.noteComplete(folder.id, {
        ...{ ...known, completeAt: fetchedAt },
        readAt: clock.now(),
      });
    }
    return readingOf(begun, { fetchedAt, serviceTime, unreadable, complete });
  }

  /** Returns the known records that are gone; null if the list does not prove that: rule 3. */
  async function missingFrom(
    { folder: { id } }: Begun,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<number[] | null> {
    const first = await proofOf(list, source);
    const missing = first === 'no' ? null : await notIn(list, id);
    if (first === 'yes' || missing?.length === 0) return missing;
    const second = await readOn(await beginList(source), source);
    if ((await proofOf(second, source)) === 'no') return null;
    const still = await notIn(second, id);
    if (missing === null) return still.length === 0 ? still : null;
    return missing.filter((number) => !second.records.has(number));
  }

  // The front is read once more: a record may have moved there while the list was read.
  async function proofOf(list: Listing<Identified>, source: ListSource<Identified>) {
    if (list.state !== 'whole') return 'no';
    const { records, unreadable, paged, length } = list;
    const order = orderOfNumbers(records.keys());
    const proof = isProof({ order, paged, length, read: records.size + unreadable.size });
    if (proof !== 'twice') return proof;
    const { entries } = await source.readPage(null);
    return entries.every((entry) => entry === null || records.has(entry.id)) ? proof : 'no';
  }

  /** Returns the known records that are not in the list. */
  async function notIn({ records }: Listing<Identified>, id: number): Promise<number[]> {
    const missing: number[] = [];
    let after: number | null = -1;
    while (after !== null) {
      const part = { after, limit: COMPARED_AT_ONCE, now: clock.now() };
      const { numbers, last } = await mirror.liveNumbers(id, part);
      for (const number of numbers) if (!records.has(number)) missing.push(number);
      after = last;
    }
    return missing;
  }

  async function markMissing(id: number, missing: readonly number[], asked: number): Promise<void> {
    const now = clock.now();
    for (let at = 0; at < missing.length; at += WRITTEN_AT_ONCE)
      await mirror.markMissing(id, {
        numbers: missing.slice(at, at + WRITTEN_AT_ONCE),
        asked,
        now,
      });
  }

  /** Reads what is new in a long list that was read before; null if that is not enough: rule 4. */
  async function readAdded(begun: Begun, request: Request): Promise<FolderReading | null> {
    const { folder } = begun;
    const { listOrder: order, paged, readAt, unreadable } = folder;
    const isKnown = readAt !== null && clock.now() - readAt < READ_ANEW_MS;
    if (!isKnown || paged === 0 || order === null) return null;
    const source = mirrored(begun, request);
    const { id, highest: before } = folder;
    const count = () => mirror.countRecords(id);
    const countBefore = () => mirror.countBelow(id, before + 1);
    const walk = order === 'oldest-first' ? walkEnd : walkFront;
    const added = await walk(source, { highest: before, unreadable, count, countBefore });
    const isSorted = added && (added.numbers.length < 2 || orderOfNumbers(added.numbers) === order);
    if (!added || !isSorted) return null;
    const { serviceTime, fetchedAt, length } = added;
    const highest = Math.max(before, ...added.numbers);
    const only = { written: begun.written, count: length - unreadable };
    const known = { listOrder: order, paged: 1, highest, unreadable, serviceTime };
    const complete =
      begun.isAlone &&
      (await mirror.noteComplete(folder.id, { ...known, completeAt: fetchedAt, only }));
    return readingOf(begun, { fetchedAt, serviceTime, unreadable, complete });
  }

  /** Reads a folder in a few requests if that is enough; else the first pages of its list. */
  async function readAtOnce(request: Request): Promise<Quick> {
    const begun = await begin(request);
    const rest = (list?: Listing<Identified>) => (later: Request) =>
      readWhole(later, list && { begun, list });
    const added = await readAdded(begun, request);
    if (added?.complete) return { reading: added, newest: NONE, rest: null };
    if (added) {
      const { id } = begun.folder;
      const newest = () => mirror.newestRecords(id, { limit: PAGE_SIZE });
      return { reading: added, newest, rest: rest() };
    }
    const source = mirrored(begun, request);
    const list = await readQuickly(source);
    if (list.state !== 'open')
      return { reading: await conclude(begun, list, source), newest: NONE, rest: null };
    const { fetchedAt, serviceTime, unreadable } = list;
    const proven = { fetchedAt, serviceTime, unreadable: unreadable.size, complete: false };
    const newest = once(async () => {
      // Shared by all callers, so it must not count towards one person's slots.
      const call = { queue: undefined, signal: undefined };
      return list.paged ? findNewest(list, mirrored(begun, request, call)) : [];
    });
    return { reading: readingOf(begun, proven), newest, rest: rest(list) };
  }

  /** Reads a long list to its end, in the bulk lane; callers share the reading. */
  function readWhole(
    request: Request,
    first: { begun: Begun; list: Listing<Identified> } | undefined,
  ): Promise<FolderReading> {
    const now = first?.list.fetchedAt ?? clock.now();
    return whole.share({ ...request, key: wholeKey(request), now }, async (signal) => {
      const call = { ...FOR_ALL, queue: `files of ${request.key}`, signal };
      const begun = first?.begun ?? (await begin(request));
      const source = slim(mirrored(begun, request, call));
      const read = await readOn(first?.list ?? (await beginList(source)), source);
      const reading = await conclude(begun, read, source);
      if (!reading.complete) logger.warn({ folder: request.key }, BROKEN);
      return reading;
    });
  }

  /** Reads on, after stale readings in progress: what they find shortens this one. */
  async function readRest(first: Request, begun: Quick): Promise<FolderReading> {
    let { reading, rest } = begun;
    let request = first;
    for (let tries = 0; rest; tries++) {
      const busy = whole.underWay(wholeKey(request));
      const { notBefore = 0 } = request;
      if (!busy || busy.startedAt >= notBefore || tries >= MAX_TRIES) return rest(request);
      await unlessAborted(Promise.allSettled([busy.result]), request.signal);
      request = requestFor(request.destination, request);
      ({ reading, rest } = await readShared(request));
    }
    return reading;
  }

  function readShared(request: Request): Promise<Quick> {
    const key = `${laneName(request)} ${request.key}`;
    return quick.share({ ...request, key }, (signal) => readAtOnce({ ...request, signal }));
  }

  /** Returns the last reading if it is fresh enough. */
  async function recent(request: Request): Promise<FolderReading | null> {
    const { maxAgeMs = 0, notBefore = 0, now, destination } = request;
    if (maxAgeMs <= 0) return null;
    const known = await mirror.findFolder(destination);
    if (!known) return null;
    const { id: folder, completeAt: fetchedAt, unreadable, serviceTime } = known;
    // A later time than now is from before a clock was set back: the age is unknown.
    const isFresh = fetchedAt !== null && fetchedAt <= now && fetchedAt >= now - maxAgeMs;
    if (!isFresh || fetchedAt < notBefore) return null;
    return { folder, complete: true, unreadable, fetchedAt, serviceTime };
  }

  /** Reads a record where a sorted list must have it; null if it is not there. */
  async function readThere(request: Request, number: number): Promise<FoundRecord | null> {
    const known = await mirror.findFolder(request.destination);
    if (!known?.listOrder || known.paged === 0) return null;
    const below = await mirror.countBelow(known.id, number);
    const isForward = known.listOrder === 'oldest-first';
    const above = isForward ? 0 : (await mirror.countRecords(known.id)) - 1 - below;
    const begun = await begin(request);
    const { entries } = await mirrored(begun, request).readPage(isForward ? below : above);
    const record = entries.find((entry) => entry?.id === number);
    return record ? { record, certain: true, reading: null } : null;
  }

  async function findIn(reading: FolderReading, number: number): Promise<FoundRecord> {
    const { folder, complete, unreadable } = reading;
    const record = (await mirror.recordsNumbered(folder, [number])).get(number) ?? null;
    return { record, certain: complete && unreadable === 0, reading };
  }

  async function read(destination: Destination, given: ReadOptions): Promise<FolderReading> {
    const request = requestFor(destination, given);
    return (await recent(request)) ?? readRest(request, await readShared(request));
  }

  return {
    /**
     * Reads a folder into the mirror unless that is fresh enough. Rejects like the service's client,
     * and with SERVICE_NOT_FOUND for a folder that the account does not list.
     */
    read,
    /**
     * Resolves with a record as it is now: in a long list with one request, at the place where the
     * list must have it.
     */
    find: async (
      destination: Destination,
      number: number,
      given: ReadOptions,
    ): Promise<FoundRecord> => {
      const there = await readThere(requestFor(destination, given), number);
      if (there) return there;
      return findIn(await read(destination, given), number);
    },
    /** Resolves with a record as that reading has shown it. */
    findIn,
    /** Notes the records that a create of ours was answered with. */
    noteCreated: async (
      destination: Destination,
      records: readonly FolderRecord[],
    ): Promise<void> => {
      const known = await mirror.findFolder(destination);
      if (known && records.length > 0) await mirror.applyListed(known.id, { records, asked: null });
    },
    /** Like read, but resolves early with the newest files if the list is long. */
    glimpse: async (destination: Destination, given: ReadOptions): Promise<FolderGlimpse> => {
      const request = requestFor(destination, given);
      const fresh = await recent(request);
      if (fresh) return { reading: fresh, newest: null, readRest: null };
      const begun = await readShared(request);
      const { reading, rest } = begun;
      if (!rest) return { reading, newest: null, readRest: null };
      return { reading, newest: await begun.newest(), readRest: () => readRest(request, begun) };
    },
  };
}

const NONE = async () => [];

/** Returns a function that calls `make` at its first call only. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

interface Proven {
  fetchedAt: number;
  serviceTime: number | null;
  unreadable: number;
  complete: boolean;
}

/** The most files to look up at each end of a page: one that we filed proves the folder exists. */
const MAX_PROVING = 50;
/**
 * How long an empty list waits for whether its folder, listed in the last minute, still exists, in
 * milliseconds: while many files are being filed, the rate window may be full.
 */
const CONFIRM_EMPTY_MS = 400;

function notThere(destination: Destination): ServiceError {
  const message = `folder ${folderNumber(destination)} is not among those that the account lists`;
  return new ServiceError('SERVICE_NOT_FOUND', message, { retry: 'never', sent: 'no' });
}

/** How a long list is read to its end: callers of both lanes share it. */
const FOR_ALL = { lane: 'bulk', isWaitedFor: false } as const;
const wholeKey = (request: Request) => `${laneName({ ...request, ...FOR_ALL })} ${request.key}`;

const BROKEN = 'The list of a folder could not be read to its end';
const NOT_DROPPED = 'The records of unused folders could not be dropped';

/** Returns pages with identifiers only: those of a long list stay in memory until its end. */
function slim(source: ListSource<Identified>): ListSource<Identified> {
  const readPage = async (start: number | null): Promise<Page<Identified>> => {
    const page = await source.readPage(start);
    return { ...page, entries: page.entries.map((entry) => entry && { id: entry.id }) };
  };
  return { ...source, readPage };
}

/** What was known of a list before, to find what is new. */
interface Before {
  highest: number;
  unreadable: number;
  /** Returns how many records are known. */
  count(): Promise<number>;
  /** Returns how many of them have no higher number than `highest`. */
  countBefore(): Promise<number>;
}

/** What is new in a list; `length`: that of the whole list. */
interface NewPart {
  numbers: number[];
  length: number;
  fetchedAt: number;
  serviceTime: number | null;
}

/** The most requests to find what is new; a list that needs more is read anew. */
const MAX_REQUESTS = 4;

/** Reads the end of a list that is sorted oldest first, until nothing follows the last record. */
async function walkEnd(source: ListSource<Identified>, before: Before): Promise<NewPart | null> {
  const known = (await before.countBefore()) + before.unreadable;
  let start = Math.max(0, known - 1);
  const numbers: number[] = [];
  let first: Page<Identified> | null = null;
  for (let asked = 0; asked < MAX_REQUESTS; asked++) {
    const page = await source.readPage(start);
    first ??= page;
    const ids = idsOf(page);
    if (ids === null) return null;
    const last = numbers.at(-1);
    const [begins] = ids;
    const follows = last === undefined ? (begins ?? Infinity) <= before.highest : begins === last;
    if (!follows) return null;
    numbers.push(...(last === undefined ? ids : ids.slice(1)));
    const { askedAt: fetchedAt, serviceTime } = first;
    if (ids.length === 1) return { numbers, length: start + 1, fetchedAt, serviceTime };
    start += ids.length - 1;
  }
  return null;
}

/** Reads the front of a list that is sorted newest first, and whether its end is where it was. */
async function walkFront(source: ListSource<Identified>, before: Before): Promise<NewPart | null> {
  const numbers: number[] = [];
  let first: Page<Identified> | null = null;
  let start: number | null = null;
  for (let asked = 1; asked < MAX_REQUESTS; asked++) {
    const page: Page<Identified> = await source.readPage(start);
    first ??= page;
    const ids = idsOf(page);
    if (ids === null || (start !== null && ids[0] !== numbers.at(-1))) return null;
    numbers.push(...(start === null ? ids : ids.slice(1)));
    start = numbers.length - 1;
    if ((numbers.at(-1) ?? Infinity) <= before.highest) break;
  }
  if (first === null || (numbers.at(-1) ?? Infinity) > before.highest) return null;
  const known = (await before.count()) + before.unreadable;
  const end = await source.readPage(Math.max(0, known - 1));
  const { askedAt: fetchedAt, serviceTime } = first;
  return { numbers, length: known - 1 + end.entries.length, fetchedAt, serviceTime };
}

/** Returns the identifiers of a page; null if some of it cannot be read. */
function idsOf({ entries, whole }: Page<Identified>): number[] | null {
  const ids = entries.flatMap((entry) => (entry ? [entry.id] : []));
  return whole && ids.length === entries.length ? ids : null;
}
