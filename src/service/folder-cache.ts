import { type Clock, type Logger, unlessAborted } from '../base/index.ts';
import { type Destination, folderNumber } from '../transfers/index.ts';
import { type CallOptions, laneName } from './call.ts';
import { type Listing, readOn, readQuickly } from './list.ts';
import { createListCache, isFresh } from './list-cache.ts';
import type { ListSource } from './list-source.ts';
import { findNewest, refreshList } from './newest.ts';
import type { FileRecord } from './records.ts';

/** A folder's files. `unreadable` counts records too odd to use; the others are kept. */
export interface FileList {
  files: FileRecord[];
  unreadable: number;
  /** Whether these are all files of the folder: false when the list could not be read to its end. */
  complete: boolean;
  /** The service's clock when it answered (its `Date` header), in milliseconds since the epoch. */
  serviceTime: number | null;
  /** Who made the records that our creates were answered with, as far as this process has seen. */
  creators?: ReadonlySet<number>;
  /** When this list was fetched, by our clock; older than now when it is a copy. */
  fetchedAt: number;
}

export interface ListOptions extends CallOptions {
  /**
   * The oldest copy that will do, in milliseconds; never one older than the last change made through
   * this client. Default: 0, always fresh.
   */
  maxAgeMs?: number | undefined;
  /** No reading that began earlier, by our clock, is shared. */
  notBefore?: number | undefined;
}

/** A folder's files, as far as they can be told at once. */
interface FileGlimpse {
  /** All files, or those that are certain to be the newest: none where that cannot be told. */
  list: FileList;
  /** Reads what is missing; null when nothing is, or it cannot be read. */
  readRest: (() => Promise<FileList>) | null;
}

interface FolderCacheOptions {
  clock: Clock;
  logger: Logger;
  filesOf(destination: Destination, call: CallOptions): ListSource<FileRecord>;
}

/** How many readings of a folder that keeps changing are waited for before one is begun beside them. */
const MOST_TRIES = 3;
/** Records in copies at most. */
const CAPACITY = 200_000;
/** The part of it for folders that are wanted together: the rest is for all others. */
const CAPACITY_TOGETHER = 150_000;
/** How long a copy is kept. */
const KEEP_MS = 60_000;
/**
 * The same of a list that took many answers, from when it was read whole: only what was added since
 * is read again.
 */
const KEEP_PAGED_MS = 60 * 60_000;

type FolderListing = Listing<FileRecord>;

/** What is asked for and when, and how fresh it must be. */
interface Asked extends ListOptions {
  destination: Destination;
  /** The folder's number. */
  key: string;
  now: number;
  /** How often the folder had been changed through this client. */
  version: number;
}

/** The lists of folders: read, shared by all who ask, and kept for who asks next. */
export function createFolderCache({ clock, logger, filesOf }: FolderCacheOptions) {
  const cache = createListCache<FolderListing>({ clock, capacity: CAPACITY, weigh, keepMs });
  const versions = new Map<string, number>();
  /** What folders that take many answers weighed when they were last read. */
  const weights = new Map<string, number>();

  function understand(destination: Destination, options: ListOptions): Asked {
    options.signal?.throwIfAborted();
    const key = folderNumber(destination);
    const version = versions.get(key) ?? 0;
    return { ...options, destination, key, now: clock.now(), version };
  }

  function sourceOf(asked: Asked, call: Partial<CallOptions>): ListSource<FileRecord> {
    const { destination, lane, queue, turn, isWaitedFor } = asked;
    return filesOf(destination, { lane, queue, turn, isWaitedFor, ...call });
  }

  function recent({ key, maxAgeMs = 0, now, version }: Asked): FolderListing | undefined {
    return maxAgeMs > 0 ? cache.recent(key, { notBefore: now - maxAgeMs, version }) : undefined;
  }

  /** The whole list when that takes a few requests; else its beginning. */
  function readAtOnce(asked: Asked): Promise<FolderListing> {
    return cache.share({ ...asked, by: laneName(asked) }, async (signal) => {
      const source = sourceOf(asked, { signal });
      const known = cache.known(asked.key);
      const refreshed = known?.paged ? await refreshList(known, source) : null;
      return noteWeight(asked, refreshed ?? (await readQuickly(source)));
    });
  }

  /** The whole list, from what was read of it. What cannot be shared is waited for: it spares reading. */
  async function readRest(first: Asked, begun: FolderListing): Promise<FolderListing> {
    let listing = begun;
    let asked = first;
    for (let tries = 0; listing.state === 'open'; tries++) {
      const busy = cache.underWay({ ...asked, by: 'whole' });
      if (!busy || isFresh(busy, asked) || tries >= MOST_TRIES) return readWhole(asked, listing);
      await unlessAborted(Promise.allSettled([busy.list]), asked.signal);
      asked = understand(asked.destination, asked);
      listing = await readAtOnce(asked);
    }
    return listing;
  }

  /** Reads a large list to its end, for all who wait for it. */
  function readWhole(asked: Asked, begun: FolderListing): Promise<FolderListing> {
    const { key: folder } = asked;
    return cache.share({ ...asked, by: 'whole', now: begun.fetchedAt }, async (signal) => {
      const queue = `files of ${folder}`;
      const forAll = { lane: 'bulk', queue, signal, isWaitedFor: false } as const;
      const listing = await readOn(begun, sourceOf(asked, forAll));
      if (listing.state !== 'whole') logger.warn({ folder }, BROKEN);
      return noteWeight(asked, listing);
    });
  }

  function noteWeight({ key }: Asked, listing: FolderListing): FolderListing {
    if (listing.state !== 'open') weights.set(key, listing.paged ? weigh(listing) : 0);
    return listing;
  }

  /** What is read of an open list, with its newest files alone. */
  function readNewest(asked: Asked, begun: FolderListing): Promise<FolderListing> {
    const named = { ...asked, by: `newest ${laneName(asked)}`, now: begun.fetchedAt };
    return cache.share(named, async (signal) => {
      // Once for all who ask, and so no part of what one person may ask for.
      const source = sourceOf(asked, { signal, queue: undefined });
      const newest = begun.paged ? await findNewest(begun, source) : [];
      return { ...begun, records: new Map(newest.map((file) => [file.id, file])) };
    });
  }

  return {
    /**
     * All files of a folder: a copy, a reading under way, or read anew. A large list is read in the bulk
     * lane, once for all who need it; where only additions came since that, they alone are read.
     */
    list: async (destination: Destination, options: ListOptions): Promise<FileList> => {
      const asked = understand(destination, options);
      return handOut(recent(asked) ?? (await readRest(asked, await readAtOnce(asked))));
    },
    /** The same at once, with the newest files alone where all would take long. */
    glimpse: async (destination: Destination, options: ListOptions): Promise<FileGlimpse> => {
      const asked = understand(destination, options);
      const listing = recent(asked) ?? (await readAtOnce(asked));
      if (listing.state !== 'open') return { list: handOut(listing), readRest: null };
      return {
        list: handOut(await readNewest(asked, listing)),
        readRest: async () => handOut(await readRest(asked, listing)),
      };
    },
    /**
     * Of folders that are wanted together those, the first first, of which all copies can be kept at once, so
     * that none is read from its beginning whenever they are wanted. What one answer holds always fits, and
     * what was never read may.
     */
    fitTogether: <T extends Destination>(folders: readonly T[]): T[] => {
      let room = CAPACITY_TOGETHER;
      return folders.filter((folder) => {
        const weight = weights.get(folderNumber(folder)) ?? 0;
        const isFitting = weight <= room;
        if (isFitting) room -= weight;
        return isFitting;
      });
    },
    /** The folder changes, or has changed: no list begun before now is handed out from now on. */
    changed: (destination: Destination, deletedId?: number): void => {
      const folder = folderNumber(destination);
      versions.set(folder, (versions.get(folder) ?? 0) + 1);
      if (deletedId !== undefined) cache.amend(folder, (copy) => withoutRecord(copy, deletedId));
    },
  };
}

// What was not read to its end is no copy.
function keepMs({ state, paged, fetchedAt, wholeAt }: FolderListing): number {
  if (state !== 'whole') return 0;
  return paged ? KEEP_PAGED_MS - (fetchedAt - wholeAt) : KEEP_MS;
}

const BROKEN = 'The list of a folder could not be read to its end';
/** Characters of names and addresses that weigh as much as a record. */
const CHARACTERS_PER_RECORD = 256;

/** What a list weighs, in records: an empty one is worth something too, and very long names are. */
export function weigh({ records }: Pick<FolderListing, 'records'>): number {
  let characters = 0;
  for (const { name, url } of records.values()) characters += name.length + (url?.length ?? 0);
  return 1 + records.size + Math.floor(characters / CHARACTERS_PER_RECORD);
}

function withoutRecord(copy: FolderListing, id: number): FolderListing {
  const records = new Map(copy.records);
  if (!records.delete(id)) return copy;
  const lastAt = copy.lastAt - 1;
  return { ...copy, records, lastAt, next: lastAt };
}

// Each caller has an array of its own: sorting it changes nobody else's.
function handOut({ records, odd, state, serviceTime, fetchedAt }: FolderListing): FileList {
  return {
    files: [...records.values()],
    unreadable: odd.size,
    complete: state === 'whole',
    serviceTime,
    fetchedAt,
  };
}
