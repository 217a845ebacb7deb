import { type Logger, orNull, unlessAborted } from '../base/index.ts';
import {
  type Destination,
  type FolderRecord,
  folderNumber,
  orderOfNumbers,
} from '../core/index.ts';
import { type CallOptions, laneName } from './call.ts';
import { isServiceFailure } from './errors.ts';
import {
  type Identified,
  type Listing,
  PAGE_SIZE,
  PAGES_AT_ONCE,
  readList,
  readOn,
} from './list.ts';
import {
  type Begun,
  createMirrorWriter,
  type FolderReading,
  type MirrorWriterOptions,
} from './mirror-writer.ts';
import { readLastPage } from './newest.ts';
import { readNew } from './read-new.ts';
import { createSharedReadings } from './shared-readings.ts';

interface ReadOptions extends CallOptions {
  /** The greatest age of an acceptable reading, in milliseconds. Default: 0, a new one. */
  maxAgeMs?: number | undefined;
  /** A reading that began earlier, by our clock, is not shared. Default: 0. */
  notBefore?: number | undefined;
  /**
   * Whether it must be read from its start to its end: what is new and the length do not show a record
   * that came late under an older number while another went. Default: false.
   */
  whole?: boolean | undefined;
  /** Whether the folder is known to exist. Default: false, it is checked. */
  isThere?: boolean | undefined;
}

/** A folder, as far as a few requests show it. */
interface FolderGlimpse {
  reading: FolderReading;
  /** While there may be more, files certain to be the newest: none if those are unknown. */
  newest: readonly FolderRecord[] | null;
  /** Resolves once the rest is read; null if nothing is missing or the rest cannot be read. */
  readRest: (() => Promise<FolderReading>) | null;
}

interface FolderReaderOptions extends MirrorWriterOptions {
  logger: Logger;
}

export type FolderReader = ReturnType<typeof createFolderReader>;

/** How long a reading from start to end is trusted for changes to older records. */
const READ_ANEW_MS = 60 * 60_000;

type Request = ReadOptions & { destination: Destination; key: string; now: number };

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
  const { mirror, clock, logger } = options;
  const { begin, mirrored, conclude } = createMirrorWriter(options);
  const quick = createSharedReadings<Quick>();
  const whole = createSharedReadings<FolderReading>();

  function requestFor(destination: Destination, given: ReadOptions): Request {
    given.signal?.throwIfAborted();
    return { ...given, destination, key: folderNumber(destination), now: clock.now() };
  }

  /** Reads what is new in a long list that was read before; null if that is not enough: rule 4. */
  async function readAdded(begun: Begun, request: Request): Promise<FolderReading | null> {
    const { folder } = begun;
    const { id, listOrder, paged, highest, readAt, unreadable } = folder;
    const isKnown = readAt !== null && clock.now() - readAt < READ_ANEW_MS;
    if (request.whole || !isKnown || paged === 0 || listOrder === null) return null;
    const count = async (below?: number) => (await mirror.countRecords(id, { below })) + unreadable;
    const before = { order: listOrder, highest, count };
    const added = await readNew(mirrored(begun, request), before);
    if (!added) return null;
    const { length, first, ...found } = added;
    const { askedAt: fetchedAt, serviceTime } = first;
    const known = { listOrder, paged, unreadable, serviceTime, completeAt: fetchedAt, ...found };
    const proves = (count: number) =>
      mirror.noteComplete(id, { ...known, only: { written: folder.written, count } });
    const complete = length !== null && (await proves(length - unreadable));
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
    const now = first?.begun.at ?? clock.now();
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
    const key = `${laneName(request)} ${request.whole ? 'whole ' : ''}${request.key}`;
    return quick.share({ ...request, key }, (signal) => readAtOnce({ ...request, signal }));
  }

  async function readNow(request: Request): Promise<FolderReading> {
    const { reading, newest, first } = await readShared(request);
    return newest ? readRest(request, first) : reading;
  }

  /** Returns the last reading if it is fresh enough. */
  async function recent(request: Request): Promise<FolderReading | null> {
    const { maxAgeMs = 0, notBefore = 0, now, destination, whole: isWhole } = request;
    if (maxAgeMs <= 0) return null;
    const known = await mirror.findFolder(destination);
    if (!known) return null;
    const { id: folder, completeAt, readAt, unreadable, serviceTime } = known;
    const fetchedAt = isWhole ? readAt : completeAt;
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
    /** Resolves with the last reading after which all records were known; null for none. */
    last: (destination: Destination): Promise<FolderReading | null> =>
      recent(requestFor(destination, { lane: 'interactive', maxAgeMs: Number.POSITIVE_INFINITY })),
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

/** How a long list is read to its end: callers of both lanes share it. */
const FOR_ALL = { lane: 'bulk' } as const;
const wholeKey = (request: Request) => `${laneName({ ...request, ...FOR_ALL })} ${request.key}`;

const BROKEN = 'The list of a folder could not be read to its end';
