import type { Clock, Logger } from '../../base/index.ts';
import type { Destination } from '../../transfers/destination.ts';
import type { CallOptions, FileGlimpse } from '../client.ts';
import type { FileList, FileRecord } from '../file-record.ts';
import { unlessAborted } from '../requests/unless-aborted.ts';
import { findNewest } from './find-newest.ts';
import { createFolderCopies } from './folder-copies.ts';
import type { Listing } from './listing.ts';
import type { ReadPage } from './page.ts';
import type { Paging } from './paging.ts';
import { beginList, type ListSource, readOn } from './read-on.ts';
import { refreshList } from './refresh-list.ts';
import { createSharedCalls } from './shared-calls.ts';

/** Pages beyond the first that are read for who asked; a list of more is a large one. */
const PAGES_AT_ONCE = 2;
/** How often a folder that keeps changing is looked at anew before its list is given up. */
const MOST_TRIES = 3;

export interface ListRequest {
  destination: Destination;
  apiKey: string;
  lane: CallOptions['lane'];
  queue?: string | undefined;
  signal: AbortSignal | undefined;
  /** The oldest copy that will do, in milliseconds; 0 for none. */
  maxAgeMs: number;
  /** A reading under way is joined only when it began then or later, by our clock. */
  notBefore?: number | undefined;
}

/** The lists of folders: read, joined, and remembered. */
export interface FolderLists {
  /**
   * All files of a folder: a copy that is recent enough, what an equal request under way brings, or
   * read anew. A large list is read in the bulk lane, once for all who need it; where only additions
   * came since that, they alone are read.
   */
  list(request: ListRequest): Promise<FileList>;
  /** The same at once, with the newest files alone where all would take long. */
  glimpse(request: ListRequest): Promise<FileGlimpse>;
  /** The folder changes, or has changed: no list begun before now answers anybody from now on. */
  changed(destination: Destination, deletedId?: number): void;
}

export interface FolderListsOptions {
  clock: Clock;
  logger: Logger;
  paging: Paging;
  /** Records in copies at most. */
  capacity: number;
  /** How old copies get, in milliseconds: of lists that took one answer, and of those that took many. */
  keepMs: number;
  keepPagedMs: number;
  pagesOf(destination: Destination, call: CallOptions): ReadPage<FileRecord>;
}

/** What is asked for, and how fresh it must be. */
interface Asked extends ListRequest {
  folder: string;
  key: string;
  notBefore: number;
  version: number;
}

export function createFolderLists(given: FolderListsOptions): FolderLists {
  const { clock, logger, paging } = given;
  const copies = createFolderCopies(given);
  const changes = new Map<string, number>();
  const versionOf = (folder: string) => changes.get(folder) ?? 0;
  const quickReadings = createSharedCalls<Listing<FileRecord>>();
  const newestReadings = createSharedCalls<FileRecord[]>();
  const wholeReadings = createSharedCalls<Listing<FileRecord>>();

  function sourceOf(asked: Asked, call: Partial<CallOptions>): ListSource<FileRecord> {
    const { destination, lane, queue, apiKey } = asked;
    const options = { lane, queue, apiKey, ...call };
    return { kind: 'files', paging, readPage: given.pagesOf(destination, options) };
  }

  function understand(request: ListRequest): Asked {
    request.signal?.throwIfAborted();
    const { notBefore = 0 } = request;
    const folder = folderKey(request.destination);
    const key = `${folder} ${request.apiKey}`;
    return { ...request, folder, key, notBefore, version: versionOf(folder) };
  }

  function recent({ key, maxAgeMs, version }: Asked): Listing<FileRecord> | null {
    const copy = maxAgeMs > 0 ? copies.get(key) : undefined;
    if (!copy || copy.version !== version) return null;
    const age = clock.now() - copy.listing.fetchedAt;
    return age <= Math.min(maxAgeMs, given.keepMs) ? copy.listing : null;
  }

  function keep({ key, folder, version }: Asked, listing: Listing<FileRecord>): void {
    if (listing.state !== 'whole') return;
    if (!listing.paged && version !== versionOf(folder)) return;
    const newer = (copies.get(key)?.listing.fetchedAt ?? 0) > listing.fetchedAt;
    if (!newer) copies.keep(key, { folder, listing, version });
  }

  /** The whole list when that takes a few requests; else its beginning. */
  function readQuickly(asked: Asked): Promise<Listing<FileRecord>> {
    const { key, lane, version } = asked;
    const run = async (signal: AbortSignal) => {
      const source = sourceOf(asked, { signal });
      const known = copies.get(key)?.listing;
      const refreshed = known?.paged ? await refreshList(known, source) : null;
      const listing = refreshed ?? (await readOn(await beginList(source), source, PAGES_AT_ONCE));
      keep(asked, listing);
      return listing;
    };
    const call = { beganAt: clock.now(), version, run };
    return quickReadings.join(`${lane} ${key}`, call, asked);
  }

  /** Reads a large list to its end, for all who wait for it. */
  function readWhole(asked: Asked, begun: Listing<FileRecord>): Promise<Listing<FileRecord>> {
    const run = async (signal: AbortSignal) => {
      const queue = `files of ${asked.folder}`;
      const listing = await readOn(begun, sourceOf(asked, { lane: 'bulk', queue, signal }));
      keep(asked, listing);
      if (listing.state !== 'whole') logger.warn({ folder: asked.folder }, BROKEN);
      return listing;
    };
    const call = { beganAt: begun.fetchedAt, version: asked.version, run };
    return wholeReadings.join(asked.key, call, asked);
  }

  /** The whole list, from what was read of it. What cannot be shared is waited for: it spares reading. */
  async function readRest(first: Asked, begun: Listing<FileRecord>): Promise<Listing<FileRecord>> {
    let listing = begun;
    let asked = first;
    for (let tries = 0; listing.state === 'open'; tries++) {
      const busy = wholeReadings.unshareable(asked.key, asked);
      if (!busy || tries >= MOST_TRIES) return readWhole(asked, listing);
      await unlessAborted(busy, asked.signal);
      asked = understand(asked);
      listing = await readQuickly(asked);
    }
    return listing;
  }

  function newestOf(asked: Asked, begun: Listing<FileRecord>): Promise<FileRecord[]> {
    const run = async (signal: AbortSignal) => {
      // Once for all who ask, and so no part of what one person may ask for.
      const { readPage } = sourceOf(asked, { signal, queue: undefined });
      return begun.paged ? ((await findNewest(begun, readPage)) ?? []) : [];
    };
    const call = { beganAt: begun.fetchedAt, version: asked.version, run };
    return newestReadings.join(`${asked.lane} ${asked.key}`, call, asked);
  }

  return {
    list: async (request) => {
      const asked = understand(request);
      const listing = recent(asked) ?? (await readRest(asked, await readQuickly(asked)));
      return handOut(listing);
    },
    glimpse: async (request) => {
      const asked = understand(request);
      const listing = recent(asked) ?? (await readQuickly(asked));
      if (listing.state !== 'open') return { list: handOut(listing), readRest: null };
      const files = await newestOf(asked, listing);
      return {
        list: { ...handOut(listing), files: [...files] },
        readRest: async () => handOut(await readRest(asked, listing)),
      };
    },
    changed: (destination, deletedId) => {
      const folder = folderKey(destination);
      changes.set(folder, versionOf(folder) + 1);
      if (deletedId !== undefined) copies.drop(folder, deletedId);
    },
  };
}

const BROKEN = 'The list of a folder could not be read to its end';

function folderKey({ projectId, folderId }: Destination): string {
  return `${projectId}/${folderId}`;
}

// Each caller has an array of its own: sorting it changes nobody else's.
function handOut(listing: Listing<FileRecord>): FileList {
  const { records, unreadable, trailing, state, serviceTime, fetchedAt } = listing;
  return {
    files: [...records.values()],
    unreadable: unreadable + trailing,
    complete: state === 'whole',
    serviceTime,
    fetchedAt,
  };
}
