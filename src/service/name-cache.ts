import { type Clock, inTime } from '../base/index.ts';
import type { Destination, FolderRef } from '../core/index.ts';
import { type AccountList, type AccountLists, folderPath, isListed } from './account-lists.ts';
import { type CallOptions, laneName } from './call.ts';
import { isServiceFailure } from './errors.ts';
import { PAGE_SIZE } from './list.ts';
import { createSharedReadings } from './shared-readings.ts';

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
 * return them within two seconds. A later response still fills the cache, unless the signal of its
 * caller has aborted it.
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
  const folderName = async ({ projectId, folderId }: Destination, options: CallOptions) => {
    const known = await folders.soon(projectId, { ...options, maxAgeMs: KEEP_MS });
    return known && folderPath(known.records, folderId);
  };

  return {
    people: (options: CopyOptions) => people.list(ALL, options),
    projects: (options: CopyOptions) => projects.list(ALL, options),
    folders: (projectId: number, options: CopyOptions) => folders.list(projectId, options),
    /** Returns a cached list of a project's folders, of any age; undefined if there is none. */
    knownFolders: folders.known,
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
      const { url = null } = known;
      return { projectId, folderId, projectTitle: title, folderName: name, url };
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
/** The most records of all copies of one kind; the oldest copies go first. */
const MAX_RECORDS = 200_000;
/** The greatest age of a copy that may show a folder in a long list, in milliseconds. */
const RECENT_MS = 60_000;
/** A list that failed is not requested again for a name in it, for this long, in milliseconds. */
const KEEP_FAILED_MS = 30_000;
/** How long to wait for a name, counted from its request to the service, in milliseconds. */
const PATIENCE_MS = 2_000;

/** `readAt`: when it was complete, by our clock. */
type Copy<T> = CachedList<T> & { readAt: number };
type Fetch<T> = (key: number, options: CallOptions) => Promise<AccountList<T> | null>;

function cacheLists<T extends { id: number }>(fetch: Fetch<T>, clock: Clock) {
  const readings = createSharedReadings<Copy<T>>();
  // The oldest first: a Map keeps its insertion order.
  const copies = new Map<number, Copy<T>>();
  const failures = new Map<number, { readAt: number }>();
  const nameOf = (key: number, call: CallOptions) => `${laneName(call)} ${key}`;

  function forgetOld(known: Map<number, { readAt: number }>, keepMs: number): void {
    for (const [key, { readAt }] of known) {
      const age = clock.now() - readAt;
      // A negative age means that the clock was set back: the real age is unknown.
      if (age < 0 || age > keepMs) known.delete(key);
    }
  }

  function keep(key: number, copy: Copy<T>): void {
    failures.delete(key);
    const known = copies.get(key);
    if (known && known.fetchedAt > copy.fetchedAt) return;
    copies.delete(key);
    copies.set(key, copy);
    const weightOf = ({ list }: Copy<T>) => 1 + (list?.records.length ?? 0);
    let total = [...copies.values()].reduce((sum, one) => sum + weightOf(one), 0);
    for (const [oldest, one] of copies) {
      if (total <= MAX_RECORDS) break;
      total -= weightOf(one);
      copies.delete(oldest);
    }
  }

  async function read(key: number, options: CallOptions): Promise<Copy<T>> {
    const fetchedAt = clock.now();
    try {
      const list = await fetch(key, options);
      const copy = { list, fetchedAt, readAt: clock.now() };
      keep(key, copy);
      return copy;
    } catch (error) {
      if (isServiceFailure(error)) failures.set(key, { readAt: clock.now() });
      throw error;
    }
  }

  async function list(key: number, options: CopyOptions): Promise<CachedList<T>> {
    forgetOld(copies, KEEP_MS);
    const { maxAgeMs, signal } = options;
    const now = clock.now();
    const oldest = now - maxAgeMs;
    const copy = copies.get(key);
    if (copy && (maxAgeMs > 0 ? copy.readAt : copy.fetchedAt) >= oldest) return copy;
    // Shares any reading if maxAgeMs > 0: otherwise a list slower than that is re-read forever.
    const notBefore = maxAgeMs > 0 ? 0 : oldest;
    const asked = { key: nameOf(key, options), now, notBefore, signal };
    return readings.share(asked, (shared) => read(key, { ...options, signal: shared }));
  }

  async function soon(
    key: number,
    options: CopyOptions,
    patienceMs = PATIENCE_MS,
  ): Promise<AccountList<T> | null> {
    forgetOld(failures, KEEP_FAILED_MS);
    if (failures.has(key)) return null;
    const askedAt = readings.underWay(nameOf(key, options))?.startedAt ?? clock.now();
    const asked = list(key, options).catch(() => null);
    // With 0 left, a list that is already cached still wins over the timeout.
    const ms = Math.max(0, askedAt + patienceMs - clock.now());
    return (await inTime(asked, { clock, ms, late: null }))?.list ?? null;
  }

  async function find(key: number, id: number, options: CallOptions): Promise<T | null> {
    const known = await soon(key, { ...options, maxAgeMs: KEEP_MS });
    return known?.records.find((record) => record.id === id) ?? null;
  }

  const known = (key: number): AccountList<T> | null | undefined => copies.get(key)?.list;

  return { list, soon, find, known };
}
