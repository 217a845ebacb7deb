import { type Clock, inTime } from '../base/index.ts';
import type { Destination, FolderRef } from '../transfers/index.ts';
import { type AccountList, type AccountLists, isListed } from './account-lists.ts';
import { type CallOptions, laneName } from './call.ts';
import { PAGE_SIZE } from './list.ts';
import { createListCache } from './list-cache.ts';

/** A list and when it was requested. */
export interface CachedList<T> {
  /** Null if the account does not offer it. */
  list: AccountList<T> | null;
  /** When it was requested, by our clock. */
  fetchedAt: number;
}

export type NameCache = ReturnType<typeof createNameCache>;

/**
 * Creates the cache of the account's projects, folders and people, kept for ten minutes; callers in
 * the same lane share a request. The lists reject as the service client does. `maxAgeMs` is the
 * oldest acceptable copy, counted from when it was complete; 0 excludes lists requested before the
 * call. Names, and whether a folder is listed, never reject: they are null if the account does not
 * return them within two seconds. A later response still fills the cache.
 */
export function createNameCache({
  service,
  clock,
}: {
  service: Pick<AccountLists, 'listProjects' | 'listFolders' | 'listPeople'>;
  clock: Clock;
}) {
  const projects = cacheLists((_key, options) => service.listProjects(options), clock);
  const folders = cacheLists(service.listFolders, clock);
  const people = cacheLists((_key, options) => service.listPeople(options), clock);

  const projectTitle = async (projectId: number, options = FOR_NAMES) =>
    (await projects.find(ALL, projectId, options))?.title ?? null;
  const folderName = async ({ projectId, folderId }: Destination, options: CallOptions) =>
    (await folders.find(projectId, folderId, options))?.name ?? null;

  return {
    people: (options: CopyOptions) => people.list(ALL, options),
    projects: (options: CopyOptions) => projects.list(ALL, options),
    folders: (projectId: number, options: CopyOptions) => folders.list(projectId, options),
    /**
     * Whether the account lists a folder; null if unknown. `confirmMs`: the longest to wait for a
     * folder that was listed in the last minute; default: 2 s.
     */
    isFolderListed: async (
      { projectId, folderId }: Destination,
      { confirmMs = PATIENCE_MS, ...options }: CopyOptions & { confirmMs?: number | undefined },
    ) => {
      const maxAgeMs = Math.max(RECENT_MS, options.maxAgeMs);
      const recent = await folders.soon(projectId, { ...options, maxAgeMs });
      const wasListed = isListed(recent, folderId);
      // Requesting a list of many pages, or one that is not offered, at every check costs too much.
      const isCheap = recent !== null && recent.records.length <= PAGE_SIZE;
      if (!isCheap && wasListed !== false) return wasListed;
      const patienceMs = wasListed ? confirmMs : PATIENCE_MS;
      return isListed(await folders.soon(projectId, options, patienceMs), folderId);
    },
    projectTitle,
    /** Returns a folder with its known names, and the missing ones from the account. */
    nameFolder: async (
      { projectId, folderId, ...known }: Destination & Partial<FolderRef>,
      options = FOR_NAMES,
    ): Promise<FolderRef> => {
      const [title, name] = await Promise.all([
        known.projectTitle ?? projectTitle(projectId, options),
        known.folderName ?? folderName({ projectId, folderId }, options),
      ]);
      return { projectId, folderId, projectTitle: title, folderName: name };
    },
    personName: async (personId: number) =>
      (await people.find(ALL, personId, FOR_NAMES))?.name ?? null,
  };
}

export type CopyOptions = CallOptions & { maxAgeMs: number };

/** For the names in a view: they count against nobody's share and mostly come from the cache. */
const FOR_NAMES: CallOptions = { lane: 'interactive' };
/** The key of a list that exists once in the account. */
const ALL = 0;
const KEEP_MS = 10 * 60_000;
const MAX_RECORDS = 200_000;
/** The greatest age of a copy that may show a folder in a long list, in milliseconds. */
const RECENT_MS = 60_000;
const KEEP_FAILED_MS = 30_000;
/** How long to wait for a name, counted from its request to the service, in milliseconds. */
const PATIENCE_MS = 2_000;

/** `readAt`: when it was complete, by our clock. */
type Copy<T> = CachedList<T> & { readAt: number };
type Fetch<T> = (key: number, options: CallOptions) => Promise<AccountList<T> | null>;

function cacheLists<T extends { id: number }>(fetch: Fetch<T>, clock: Clock) {
  const cache = createListCache<Copy<T>>({
    clock,
    capacity: MAX_RECORDS,
    weigh: ({ list }) => 1 + (list?.records.length ?? 0),
    keepMs: ({ fetchedAt, readAt }) => KEEP_MS + readAt - fetchedAt,
  });

  function readingOf(id: number, call: CallOptions) {
    const key = `${id}`;
    return { key, by: laneName(call), signal: call.signal };
  }

  async function list(key: number, options: CopyOptions): Promise<CachedList<T>> {
    const now = clock.now();
    const { maxAgeMs } = options;
    const oldest = now - maxAgeMs;
    const reading = readingOf(key, options);
    const copy = cache.copyOf(reading.key);
    if (copy && (maxAgeMs > 0 ? copy.readAt : copy.fetchedAt) >= oldest) return copy;
    // Shares any reading if maxAgeMs > 0: otherwise a list slower than that is re-read forever.
    const notBefore = maxAgeMs > 0 ? 0 : oldest;
    return cache.join({ ...reading, now, notBefore }, async (signal) => {
      const list = await fetch(key, { ...options, signal });
      return { list, fetchedAt: now, readAt: clock.now() };
    });
  }

  async function soon(
    key: number,
    options: CopyOptions,
    patienceMs = PATIENCE_MS,
  ): Promise<AccountList<T> | null> {
    const reading = readingOf(key, options);
    // A list that failed recently is not requested again for a name in it. It failed in the future
    // only if the clock was set back.
    const failedMs = clock.now() - cache.recall(reading.key).failedAt;
    if (failedMs >= 0 && failedMs < KEEP_FAILED_MS) return null;
    const askedAt = cache.underWay(reading)?.startedAt ?? clock.now();
    const asked = list(key, options).catch(() => null);
    // With 0 left, a list that is already cached still wins over the timeout.
    const ms = Math.max(0, askedAt + patienceMs - clock.now());
    return (await inTime(asked, { clock, ms, late: null }))?.list ?? null;
  }

  async function find(key: number, id: number, options: CallOptions): Promise<T | null> {
    const known = await soon(key, { ...options, maxAgeMs: KEEP_MS });
    return known?.records.find((record) => record.id === id) ?? null;
  }

  return { list, soon, find };
}
