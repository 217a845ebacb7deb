import { type Clock, within } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { AccountList, AccountLists } from './account-lists.ts';
import type { CallOptions } from './call.ts';
import { ServiceError } from './errors.ts';
import type { Folder } from './folders.ts';
import { createListCache, isFresh } from './list-cache.ts';
import type { Project } from './records.ts';

/** A list as it was when it was asked for. */
export interface CachedList<T> {
  /** Null where the account does not offer it. */
  list: AccountList<T> | null;
  /** When it was asked for, by our clock. */
  fetchedAt: number;
}

/** `maxAgeMs`: the oldest copy that will do, in milliseconds; none is older than ten minutes. */
export type LookOptions = CallOptions & { maxAgeMs: number };

/**
 * The account's projects, folders and people, kept for ten minutes and shared by all who ask in the
 * same lane.
 *
 * The lists reject as the service's client does. A name is null wherever the account does not tell
 * it, or not now: a name is never worth failing for, nor more than two seconds. What comes later is
 * there for who asks next.
 */
export interface NameCache {
  projects(options: LookOptions): Promise<CachedList<Project>>;
  folders(projectId: number, options: LookOptions): Promise<CachedList<Folder>>;
  folderName(destination: Destination, options: CallOptions): Promise<string | null>;
  projectTitle(projectId: number, options: CallOptions): Promise<string | null>;
  personName(personId: number, options: CallOptions): Promise<string | null>;
}

export interface NameCacheOptions {
  service: Pick<AccountLists, 'listProjects' | 'listFolders' | 'listPeople'>;
  clock: Clock;
}

export function createNameCache({ service, clock }: NameCacheOptions): NameCache {
  const projects = cacheLists((_key, options) => service.listProjects(options), clock);
  const folders = cacheLists(
    (projectId, options) => service.listFolders(projectId, options),
    clock,
  );
  const people = cacheLists((_key, options) => service.listPeople(options), clock);

  return {
    projects: (options) => projects.list(ALL, options),
    folders: (projectId, options) => folders.list(projectId, options),
    folderName: async ({ projectId, folderId }, options) =>
      (await folders.find(projectId, folderId, options))?.name ?? null,
    projectTitle: async (projectId, options) =>
      (await projects.find(ALL, projectId, options))?.title ?? null,
    personName: async (personId, options) =>
      (await people.find(ALL, personId, options))?.name ?? null,
  };
}

/** The key of a list of which the account has one. */
const ALL = 0;
const KEEP_MS = 10 * 60_000;
const MOST_RECORDS = 200_000;
const KEEP_FAILED_MS = 30_000;
/** How long a name is waited for, from when it was asked of the service, in milliseconds. */
const PATIENCE_MS = 2_000;

const timedOut = () => new Error('no name in time');

type Fetch<T> = (key: number, options: CallOptions) => Promise<AccountList<T> | null>;

function cacheLists<T extends { id: number }>(fetch: Fetch<T>, clock: Clock) {
  const cache = createListCache<CachedList<T>>({
    clock,
    capacity: MOST_RECORDS,
    weigh: ({ list }) => 1 + (list?.records.length ?? 0),
    keepMs: () => KEEP_MS,
  });
  const failedUntil = new Map<number, number>();

  async function list(key: number, options: LookOptions): Promise<CachedList<T>> {
    const now = clock.now();
    const copy = cache.copy(`${key}`);
    if (copy && isFresh(copy, { notBefore: now - options.maxAgeMs })) return copy;
    return cache.share(`${options.lane} ${key}`, { now }, async () => {
      const fetched = { list: await fetch(key, options), fetchedAt: now };
      cache.keep(`${key}`, fetched);
      return fetched;
    });
  }

  async function find(key: number, id: number, options: CallOptions): Promise<T | null> {
    // What has failed is not asked for by the next name of the same list.
    if ((failedUntil.get(key) ?? 0) > clock.now()) return null;
    failedUntil.delete(key);
    const askedAt = cache.underWay(`${options.lane} ${key}`)?.fetchedAt ?? clock.now();
    const asked = list(key, { ...options, maxAgeMs: KEEP_MS }).catch((error: unknown) => {
      if (error instanceof ServiceError) failedUntil.set(key, clock.now() + KEEP_FAILED_MS);
      return null;
    });
    // What is there already comes first, however long ago it was asked for.
    const timeoutMs = Math.max(0, askedAt + PATIENCE_MS - clock.now());
    const known = await within({ clock, timeoutMs, timedOut }, () => asked).catch(() => null);
    return known?.list?.records.find((record) => record.id === id) ?? null;
  }

  return { list, find };
}
