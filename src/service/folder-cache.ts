import { type Clock, type Logger, unlessAborted } from '../base/index.ts';
import { type Destination, folderNumber } from '../transfers/index.ts';
import { type CallOptions, laneName } from './call.ts';
import { filesPath } from './http.ts';
import type { FileRecord, ReadRecord } from './json.ts';
import { arrayOf, type ListAddress, type ListSource, readOn, readQuickly } from './list.ts';
import { createListCache, isFresh } from './list-cache.ts';
import { type FileListing, findNewest, refreshList } from './newest.ts';

/** A folder's files. `unreadable` counts the records that were received but cannot be used. */
export interface FileList extends Pick<FileListing, 'serviceTime' | 'fetchedAt'> {
  files: FileRecord[];
  unreadable: number;
  /** Whether the list was read to its end. */
  complete: boolean;
}

export interface ListOptions extends CallOptions {
  /**
   * The greatest age of an acceptable copy, in milliseconds; a copy from before the last change
   * made through this client is never used. Default: 0, always fresh.
   */
  maxAgeMs?: number | undefined;
  /** A reading that began earlier, by our clock, is not shared. */
  notBefore?: number | undefined;
}

/** A folder's files, as far as a few requests show them. */
interface FileGlimpse {
  /** All files, or those certain to be the newest; empty if that is unknown. */
  list: FileList;
  /** Resolves with the whole list; null if nothing is missing or the rest cannot be read. */
  readRest: (() => Promise<FileList>) | null;
}

/** What a folder holds under a number. */
export interface FoundFile {
  /** Null if it holds none, or none that the list shows. */
  record: FileRecord | null;
  /** The folder's list; null if only the page with the record was read. */
  list: FileList | null;
  /** Our clock, in milliseconds since the epoch. */
  fetchedAt: number;
}

interface FolderCacheOptions {
  clock: Clock;
  logger: Logger;
  sourceOf(address: ListAddress<FileRecord>, call: CallOptions): ListSource<FileRecord>;
  readFile: ReadRecord<FileRecord>;
}

/** The readings of a changing folder to wait for before starting another beside them. */
const MAX_TRIES = 3;
/** The most records in all copies. */
const CAPACITY = 200_000;
/** The part of CAPACITY for the folders of foldersThatFitCache; the rest is for all others. */
const CAPACITY_TOGETHER = 150_000;
/** How long a copy is kept, in milliseconds. */
const KEEP_MS = 60_000;
/**
 * The same for a paged list, counted from its `wholeAt`: a refresh reads only what was added since,
 * so changes to older records stay unseen until the copy expires.
 */
const KEEP_PAGED_MS = 60 * 60_000;

/** A request for a folder's list, with its time and the folder's version. */
interface FilesRequest extends ListOptions {
  destination: Destination;
  /** The cache key: see folderNumber. */
  key: string;
  now: number;
  /** The list's version: each change to the folder made through this client begins one. */
  version: number;
}

export type FolderCache = ReturnType<typeof createFolderCache>;

/** Creates the cache that reads folders' file lists; callers share readings and copies. */
export function createFolderCache(options: FolderCacheOptions) {
  const { clock, logger, sourceOf } = options;
  const read = arrayOf(options.readFile);
  const cache = createListCache<FileListing>({ clock, capacity: CAPACITY, weigh, keepMs });

  function requestFor(destination: Destination, options: ListOptions): FilesRequest {
    options.signal?.throwIfAborted();
    const key = folderNumber(destination);
    return { ...options, destination, key, now: clock.now(), version: cache.recall(key).version };
  }

  function filesOf(request: FilesRequest, call: Partial<CallOptions>): ListSource<FileRecord> {
    return sourceOf({ path: filesPath(request.destination), read }, { ...request, ...call });
  }

  /** Returns a copy, or reads the whole list if that takes few requests; else its first pages. */
  async function readAtOnce(request: FilesRequest): Promise<FileListing> {
    const { key, maxAgeMs = 0, now, version } = request;
    const copy = cache.copyOf(key);
    const notBefore = now - maxAgeMs;
    if (copy && maxAgeMs > 0 && isFresh(copy, { notBefore, version })) return copy.list;
    return cache.join({ ...request, by: laneName(request) }, async (signal) => {
      const source = filesOf(request, { signal });
      const refreshed = copy?.list.paged ? await refreshList(copy.list, source) : null;
      return noteWeight(request, refreshed ?? (await readQuickly(source)));
    });
  }

  /** Reads the rest of a list, after stale readings in progress: their copy shortens this one. */
  async function readRest(first: FilesRequest, begun: FileListing): Promise<FileListing> {
    let listing = begun;
    let request = first;
    for (let tries = 0; listing.state === 'open'; tries++) {
      const busy = cache.underWay({ ...request, by: wholeBy(request) });
      if (!busy || isFresh(busy, request) || tries >= MAX_TRIES) return readWhole(request, listing);
      await unlessAborted(Promise.allSettled([busy.list]), request.signal);
      request = requestFor(request.destination, request);
      listing = await readAtOnce(request);
    }
    return listing;
  }

  /** Reads a large list to its end; callers share the reading. */
  function readWhole(request: FilesRequest, begun: FileListing): Promise<FileListing> {
    const { key: folder } = request;
    const whole = { ...request, by: wholeBy(request), now: begun.fetchedAt };
    return cache.join(whole, async (signal) => {
      const call = { ...FOR_ALL, queue: `files of ${folder}`, signal };
      const listing = await readOn(begun, filesOf(request, call));
      if (listing.state !== 'whole') logger.warn({ folder }, BROKEN);
      return noteWeight(request, listing);
    });
  }

  // A folder of one page counts as weightless: reading it again takes one request.
  function noteWeight({ key }: FilesRequest, listing: FileListing): FileListing {
    if (listing.state !== 'open') cache.recall(key).weight = listing.paged ? weigh(listing) : 0;
    return listing;
  }

  /** Returns an open list with only its newest files. */
  function readNewest(request: FilesRequest, begun: FileListing): Promise<FileListing> {
    const named = { ...request, by: `newest ${laneName(request)}`, now: begun.fetchedAt };
    return cache.join(named, async (signal) => {
      // Shared by all callers, so it must not count towards one person's slots.
      const source = filesOf(request, { signal, queue: undefined });
      const newest = begun.paged ? await findNewest(begun, source) : [];
      return { ...begun, records: new Map(newest.map((file) => [file.id, file])) };
    });
  }

  /** Reads a record where a copy of a paged list has it; null if it is not there any more. */
  async function readThere(request: FilesRequest, id: number): Promise<FoundFile | null> {
    const { key } = request;
    const copy = cache.copyOf(key);
    const at = copy?.list.paged ? placeOf(copy.list, id) : null;
    if (at === null) return null;
    const { entries, askedAt: fetchedAt } = await filesOf(request, {}).readPage(at);
    const [record] = entries;
    if (record?.id === id) {
      cache.amend(key, (known) => ({ ...known, records: new Map(known.records).set(id, record) }));
      return { record, list: null, fetchedAt };
    }
    // Deleted, or others were before it: a refresh of the copy might not show that.
    cache.drop(key);
    return null;
  }

  // A new array for each caller, so that one caller's sort does not affect the others.
  function handOut({ records, unreadable, state, serviceTime, fetchedAt }: FileListing): FileList {
    return {
      files: [...records.values()],
      unreadable: unreadable.size,
      complete: state === 'whole',
      serviceTime,
      fetchedAt,
    };
  }

  return {
    /**
     * Lists a folder's files from a copy, a reading in progress or a new one. A large list is read
     * in the bulk lane, once for all callers; if records were only added since, only they are read.
     */
    list: async (destination: Destination, options: ListOptions): Promise<FileList> => {
      const request = requestFor(destination, options);
      return handOut(await readRest(request, await readAtOnce(request)));
    },
    /**
     * Resolves with a record as it is now. A copy of a paged list shows where it is; then one request
     * reads it there, because a refresh of the copy would show no changes to older records.
     */
    find: async (
      destination: Destination,
      id: number,
      options: CallOptions,
    ): Promise<FoundFile> => {
      const request = requestFor(destination, options);
      const found = await readThere(request, id);
      if (found) return found;
      const list = handOut(await readRest(request, await readAtOnce(request)));
      const record = list.files.find((file) => file.id === id) ?? null;
      return { record, list, fetchedAt: list.fetchedAt };
    },
    /** Like list, but resolves early with only the newest files if the list is large. */
    glimpse: async (destination: Destination, options: ListOptions): Promise<FileGlimpse> => {
      const request = requestFor(destination, options);
      const listing = await readAtOnce(request);
      if (listing.state !== 'open') return { list: handOut(listing), readRest: null };
      return {
        list: handOut(await readNewest(request, listing)),
        readRest: async () => handOut(await readRest(request, listing)),
      };
    },
    /**
     * Returns the folders, chosen in the given order, whose copies fit in the cache at the same
     * time, so that listing them together again does not read any from its start. A folder of one
     * page always fits; one never read counts as fitting.
     */
    foldersThatFitCache: <T extends Destination>(folders: readonly T[]): T[] => {
      let room = CAPACITY_TOGETHER;
      return folders.filter((folder) => {
        const { weight } = cache.recall(folderNumber(folder));
        const isFitting = weight <= room;
        if (isFitting) room -= weight;
        return isFitting;
      });
    },
    /**
     * Makes a change; later calls get no list that was begun before it ended. `deletedId`: the file
     * that is gone if it succeeds.
     */
    changing: async <T>(
      destination: Destination,
      change: () => Promise<T>,
      deletedId?: number,
    ): Promise<T> => {
      const key = folderNumber(destination);
      cache.outdate(key);
      const outcome = await change().finally(() => cache.outdate(key));
      if (deletedId !== undefined) cache.amend(key, (copy) => withoutRecord(copy, deletedId));
      return outcome;
    },
  };
}

/** How a large list is read to its end: callers of both lanes share it. */
const FOR_ALL = { lane: 'bulk', isWaitedFor: false } as const;
const wholeBy = (request: FilesRequest) => `whole ${laneName({ ...request, ...FOR_ALL })}`;

// A list that was not read to its end is not kept.
function keepMs({ state, paged, fetchedAt, wholeAt }: FileListing): number {
  if (state !== 'whole') return 0;
  return paged ? KEEP_PAGED_MS - (fetchedAt - wholeAt) : KEEP_MS;
}

const BROKEN = 'The list of a folder could not be read to its end';
/** The characters of names and addresses that weigh as much as one record. */
const CHARACTERS_PER_RECORD = 256;

/** Returns a list's weight in records: one for the list itself, and more for very long names. */
export function weigh({ records }: Pick<FileListing, 'records'>): number {
  let characters = 0;
  for (const { name, url } of records.values()) characters += name.length + (url?.length ?? 0);
  return 1 + records.size + Math.floor(characters / CHARACTERS_PER_RECORD);
}

/** Returns a record's index in the list; null if it is not in it. */
function placeOf({ records, unreadable }: FileListing, id: number): number | null {
  let at = 0;
  for (const known of records.keys()) {
    while (unreadable.has(at)) at += 1;
    if (known === id) return at;
    at += 1;
  }
  return null;
}

function withoutRecord(copy: FileListing, id: number): FileListing {
  const records = new Map(copy.records);
  if (!records.delete(id)) return copy;
  const lastAt = copy.lastAt - 1;
  return { ...copy, records, lastAt, next: lastAt };
}
