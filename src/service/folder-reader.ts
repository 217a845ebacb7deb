import { type Clock, type Logger, orNull, unlessAborted } from '../base/index.ts';
import {
  type Destination,
  type FolderRecord,
  folderNumber,
  isProof,
  type KnownFolder,
  type ListOrder,
  orderOfNumbers,
  type Proof,
} from '../transfers/index.ts';
import { type CallOptions, laneName } from './call.ts';
import { isServiceFailure, ServiceError } from './errors.ts';
import {
  type Identified,
  type Listing,
  type ListSource,
  PAGE_SIZE,
  PAGES_AT_ONCE,
  type Page,
  readList,
  readOn,
} from './list.ts';
import type { NameCache } from './name-cache.ts';
import { readLastPage } from './newest.ts';
import { createSharedReadings } from './shared-readings.ts';

type ByNumber<T> = Promise<ReadonlyMap<number, T>>;

/** What lists of folders have shown, as the ledger keeps it: see its mirror.ts. */
export interface Mirror {
  findFolder(folder: Destination): Promise<KnownFolder | undefined>;
  beginReading(folder: Destination, now: number): Promise<KnownFolder>;
  applyListed(
    id: number,
    listed: { records: readonly FolderRecord[]; asked: number | null },
  ): Promise<{ before: number; after: number }>;
  liveNumbers(id: number, part: { after: number; limit: number }): Promise<number[]>;
  markMissing(
    id: number,
    missed: { numbers: readonly number[]; asked: number; now: number },
  ): Promise<void>;
  noteComplete(id: number, proof: Proof): Promise<boolean>;
  countRecords(id: number, part: { below?: number | undefined }): Promise<number>;
  newestRecords(id: number, page: { limit: number }): Promise<FolderRecord[]>;
  recordsNumbered(id: number, numbers: readonly number[]): ByNumber<FolderRecord>;
  /** Those of these records that we filed, and that still are what was filed. */
  filedRecords(folder: Destination, records: readonly FolderRecord[]): ByNumber<unknown>;
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
/** Records written, and compared, at once: a few milliseconds of work. */
const WRITTEN_AT_ONCE = 200;
const COMPARED_AT_ONCE = 5_000;

type Request = ReadOptions & { destination: Destination; key: string; now: number };

/** A reading in progress. */
interface Begun {
  /** As it was at the start; `written`: the last write, unless that was by somebody else. */
  folder: KnownFolder;
  isThere: boolean;
}

interface Quick {
  reading: FolderReading;
  /** While there may be more, finds files certain to be the newest: none if those are unknown. */
  newest: ((request: Request) => Promise<readonly FolderRecord[]>) | null;
  /** The pages to read on from; default: none, the list is read from its start. */
  first?: FirstPages;
}

interface FirstPages {
  begun: Begun;
  list: Listing<Identified>;
}

/**
 * Creates the reader of folders into the mirror. Callers share readings. A list of one answer is read
 * whole; of a long one that was read before, only what is new, and all of it again after an hour or
 * once its length shows another change.
 */
export function createFolderReader(options: FolderReaderOptions) {
  const { mirror, pagesOf, names, clock, logger } = options;
  const quick = createSharedReadings<Quick>();
  const whole = createSharedReadings<FolderReading>();

  function requestFor(destination: Destination, given: ReadOptions): Request {
    given.signal?.throwIfAborted();
    return { ...given, destination, key: folderNumber(destination), now: clock.now() };
  }

  async function begin({ destination, isThere = false }: Request): Promise<Begun> {
    return { folder: await mirror.beginReading(destination, clock.now()), isThere };
  }

  /** Returns the folder's pages, by number only: each is in the mirror before it is handed on. */
  function mirrored(
    begun: Begun,
    request: Request,
    call: Partial<CallOptions> = {},
  ): ListSource<Identified> {
    const { folder } = begun;
    const source = pagesOf(request.destination, { ...request, ...call });
    const readPage = async (start: number | null) => {
      const page = await source.readPage(start);
      const records = page.entries.filter((entry) => entry !== null);
      await ensureThere(begun, { records, askedAt: page.askedAt, request });
      for (const some of inParts(records)) {
        const listed = { records: some, asked: folder.counter };
        const { before, after } = await mirror.applyListed(folder.id, listed);
        if (before === folder.written) folder.written = after;
      }
      return { ...page, entries: page.entries.map((entry) => entry && { id: entry.id }) };
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
    const { destination } = request;
    // The service may list newest first or last; the newest are at one of the ends.
    const ends = [...records.slice(0, MAX_PROVING), ...records.slice(-MAX_PROVING)];
    if ((await mirror.filedRecords(destination, ends)).size === 0) {
      const maxAgeMs = Math.max(0, clock.now() - askedAt);
      const confirmMs = records.length === 0 ? CONFIRM_EMPTY_MS : undefined;
      const call = { ...request, maxAgeMs, confirmMs };
      if ((await names.isFolderListed(destination, call)) === false) throw notThere(destination);
    }
    begun.isThere = true;
  }

  /** Ends a reading: marks what is gone, and notes whether all records are known. */
  async function conclude(
    { folder }: Begun,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<FolderReading> {
    const { id, counter: asked } = folder;
    const { fetchedAt, serviceTime } = list;
    const unreadable = list.unreadable.size;
    const missing = await missingFrom(id, list, source);
    const complete = missing !== null;
    if (complete) {
      for (const numbers of inParts(missing))
        await mirror.markMissing(id, { numbers, asked, now: clock.now() });
      const numbers = [...list.records.keys()];
      const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
      const known = { listOrder: orderOfNumbers(numbers), paged: list.paged ? 1 : 0, highest };
      const times = { completeAt: fetchedAt, readAt: clock.now(), serviceTime };
      await mirror.noteComplete(id, { ...known, ...times, unreadable });
    }
    return { folder: id, complete, unreadable, fetchedAt, serviceTime };
  }

  /** Returns the known records that are gone; null if the list does not prove that: rule 3. */
  async function missingFrom(
    id: number,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<number[] | null> {
    const proof = await proofOf(list, source);
    if (proof === 'no') return null;
    const missing = await notIn(list, id);
    if (proof === 'yes' || missing.length === 0) return missing;
    const second = await readList(source);
    if ((await proofOf(second, source)) === 'no') return null;
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
    let after: number | undefined = -1;
    while (after !== undefined) {
      const numbers: number[] = await mirror.liveNumbers(id, { after, limit: COMPARED_AT_ONCE });
      missing.push(...numbers.filter((number) => !records.has(number)));
      after = numbers.at(-1);
    }
    return missing;
  }

  /** Reads what is new in a long list that was read before; null if that is not enough: rule 4. */
  async function readAdded(begun: Begun, request: Request): Promise<FolderReading | null> {
    const { folder } = begun;
    const { id, listOrder, paged, highest, readAt, unreadable } = folder;
    const isKnown = readAt !== null && clock.now() - readAt < READ_ANEW_MS;
    if (!isKnown || paged === 0 || listOrder === null) return null;
    const count = async (below?: number) => (await mirror.countRecords(id, { below })) + unreadable;
    const before = { order: listOrder, highest, count };
    const added = await readNew(mirrored(begun, request), before);
    if (!added) return null;
    const { length, first, ...found } = added;
    const { askedAt: fetchedAt, serviceTime } = first;
    const only = { written: folder.written, count: length - unreadable };
    const known = { listOrder, paged, unreadable, serviceTime, completeAt: fetchedAt };
    const complete = await mirror.noteComplete(id, { ...known, ...found, only });
    return { folder: id, complete, unreadable, fetchedAt, serviceTime };
  }

  /** Reads a folder in a few requests if that is enough; else the first pages of its list. */
  async function readAtOnce(request: Request): Promise<Quick> {
    const begun = await begin(request);
    const { id } = begun.folder;
    const added = await readAdded(begun, request);
    if (added?.complete) return { reading: added, newest: null };
    if (added)
      return { reading: added, newest: () => mirror.newestRecords(id, { limit: PAGE_SIZE }) };
    const source = mirrored(begun, request);
    const list = await readList(source, PAGES_AT_ONCE);
    if (list.state !== 'open')
      return { reading: await conclude(begun, list, source), newest: null };
    const { fetchedAt, serviceTime, unreadable } = list;
    const known = { folder: id, unreadable: unreadable.size, fetchedAt, serviceTime };
    const first = { begun, list };
    const newest = (later: Request) => findNewest(first, later);
    return { reading: { ...known, complete: false }, newest, first };
  }

  /** Returns the newest records of a list that was read in part: see FolderGlimpse. */
  async function findNewest({ begun, list }: FirstPages, request: Request) {
    const order = list.paged ? orderOfNumbers(list.records.keys()) : null;
    if (order === null) return [];
    // It may take more requests than one person's slots.
    const source = mirrored(begun, request, { queue: undefined });
    const isForward = order === 'oldest-first';
    const last = isForward ? await orNull(readLastPage(list, source), isServiceFailure) : null;
    const seen = isForward ? new Set(last) : list.records;
    const limit = Math.min(PAGE_SIZE, seen.size);
    const newest = await mirror.newestRecords(begun.folder.id, { limit });
    // Those by time are certain only if they are the newest by number, too.
    return newest.every(({ id }) => seen.has(id)) ? newest : [];
  }

  /** Reads a list to its end, in the bulk lane; callers share the reading. */
  function readWhole(request: Request, first?: FirstPages): Promise<FolderReading> {
    const now = first?.list.fetchedAt ?? clock.now();
    return whole.share({ ...request, key: wholeKey(request), now }, async (signal) => {
      const begun = first?.begun ?? (await begin(request));
      const call = { ...FOR_ALL, queue: `files of ${request.key}`, signal };
      const source = mirrored(begun, request, call);
      const list = await (first ? readOn(first.list, source) : readList(source));
      const reading = await conclude(begun, list, source);
      if (!reading.complete) logger.warn({ folder: request.key }, BROKEN);
      return reading;
    });
  }

  /** Reads the rest, after an older reading of it: what that finds shortens this one. */
  async function readRest(request: Request, first?: FirstPages): Promise<FolderReading> {
    const busy = whole.underWay(wholeKey(request));
    if (!busy || busy.startedAt >= (request.notBefore ?? 0)) return readWhole(request, first);
    await unlessAborted(Promise.allSettled([busy.result]), request.signal);
    return readNow(requestFor(request.destination, request));
  }

  function readShared(request: Request): Promise<Quick> {
    const key = `${laneName(request)} ${request.key}`;
    return quick.share({ ...request, key }, (signal) => readAtOnce({ ...request, signal }));
  }

  async function readNow(request: Request): Promise<FolderReading> {
    const { reading, newest, first } = await readShared(request);
    return newest ? readRest(request, first) : reading;
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

  /** Reads the page where a sorted list must have a record; null if it is not there. */
  async function readPlace(request: Request, number: number): Promise<number | null> {
    const known = await mirror.findFolder(request.destination);
    if (!known?.listOrder || known.paged === 0) return null;
    const { id, listOrder } = known;
    const below = await mirror.countRecords(id, { below: number });
    const isForward = listOrder === 'oldest-first';
    const start = isForward ? below : (await mirror.countRecords(id, {})) - 1 - below;
    const { entries } = await mirrored(await begin(request), request).readPage(start);
    return entries.some((entry) => entry?.id === number) ? id : null;
  }

  const read = async (destination: Destination, given: ReadOptions): Promise<FolderReading> => {
    const request = requestFor(destination, given);
    return (await recent(request)) ?? readNow(request);
  };

  return {
    /**
     * Reads a folder into the mirror unless that is fresh enough. Rejects like the service's client,
     * and with SERVICE_NOT_FOUND for a folder that the account does not list.
     */
    read,
    /**
     * Resolves with a record as it is now, in a long list with one request, at the place where the
     * list must have it. Null if the folder holds none that its list shows: `certain`, or perhaps.
     */
    find: async (
      destination: Destination,
      number: number,
      given: ReadOptions,
    ): Promise<{ record: FolderRecord | null; certain: boolean }> => {
      const shown = async (id: number) =>
        (await mirror.recordsNumbered(id, [number])).get(number) ?? null;
      const place = await readPlace(requestFor(destination, given), number);
      if (place !== null) return { record: await shown(place), certain: true };
      const { folder, complete, unreadable } = await read(destination, given);
      return { record: await shown(folder), certain: complete && unreadable === 0 };
    },
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
      const { reading, newest, first } = await readShared(request);
      if (!newest) return { reading, newest, readRest: null };
      const rest = () => readRest(request, first);
      return { reading, newest: await newest(request), readRest: rest };
    },
  };
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += WRITTEN_AT_ONCE)
    yield items.slice(at, at + WRITTEN_AT_ONCE);
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

/** What was known of a sorted list before, to find what is new. */
interface Before {
  order: ListOrder;
  highest: number;
  /** Returns how many of its entries are known now: all, or those with a number below. */
  count(below?: number): Promise<number>;
}

/** `highest` and `length`: of the whole list. */
interface NewPart {
  highest: number;
  length: number;
  first: Page<Identified>;
}

/** The most pages in which to find what is new; a list that has more is read anew. */
const MAX_NEW_PAGES = 3;

/**
 * Reads the new part of a sorted list. Oldest first, that is from the last known record until nothing
 * follows; newest first, from the front to a known one, and then whether the end is where it was.
 */
async function readNew(source: ListSource<Identified>, before: Before): Promise<NewPart | null> {
  const { order, highest, count } = before;
  const isForward = order === 'oldest-first';
  let start = isForward ? Math.max(0, (await count(highest + 1)) - 1) : null;
  const numbers: number[] = [];
  let first: Page<Identified> | null = null;
  for (let pages = 0; pages < MAX_NEW_PAGES; pages++) {
    const page: Page<Identified> = await source.readPage(start);
    first ??= page;
    const [begins, ...more] = idsOf(page);
    const isFirst = numbers.length === 0;
    const follows = isFirst ? !isForward || (begins ?? 0) <= highest : begins === numbers.at(-1);
    if (begins === undefined || !follows) return null;
    numbers.push(...(isFirst ? [begins] : []), ...more);
    start = (start ?? 0) + more.length;
    const isOver = isForward ? more.length === 0 : (more.at(-1) ?? begins) <= highest;
    if (!isOver) continue;
    if (numbers.length > 1 && orderOfNumbers(numbers) !== order) return null;
    const end = isForward ? start : Math.max(0, (await count()) - 1);
    const { entries } = isForward ? page : await source.readPage(end);
    return { highest: Math.max(highest, ...numbers), length: end + entries.length, first };
  }
  return null;
}

/** Returns the identifiers of a page; none if some of it cannot be read. */
function idsOf({ entries, whole }: Page<Identified>): number[] {
  const ids = entries.flatMap((entry) => (entry ? [entry.id] : []));
  return whole && ids.length === entries.length ? ids : [];
}
