import type { Clock } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { CallOptions, ServiceClient } from './client.ts';
import type { AccountList, Folder, Person, Project } from './file-record.ts';
import { type AskedList, createKeptLists, type KeptList } from './kept-lists.ts';
import { ServiceError } from './requests/service-error.ts';

const KEEP_MS = 10 * 60_000;
const MOST_RECORDS = 200_000;
const KEEP_FAILED_MS = 30_000;
/** How long a name is waited for, from when it was asked of the service, in milliseconds. */
const PATIENCE_MS = 2_000;

/** `maxAgeMs`: the oldest copy that will do, in milliseconds; none is older than ten minutes. */
export type LookOptions = CallOptions & { maxAgeMs: number };

/**
 * The account's projects, folders and people, kept for ten minutes and shared by all who ask.
 *
 * The lists reject as the service's client does. Of names null is answered wherever the account does
 * not tell, or not now: a name is never worth failing for, nor more than two seconds. What comes
 * later is there for who asks next.
 */
export interface Directory {
  projects(options: LookOptions): Promise<KeptList<Project>>;
  folders(projectId: number, options: LookOptions): Promise<KeptList<Folder>>;
  folderName(destination: Destination, options: CallOptions): Promise<string | null>;
  projectTitle(projectId: number, options: CallOptions): Promise<string | null>;
  personName(personId: number, options: CallOptions): Promise<string | null>;
}

export function createDirectory({
  service,
  clock,
}: {
  service: ServiceClient;
  clock: Clock;
}): Directory {
  const lists = createKeptLists({ clock, keepMs: KEEP_MS, records: MOST_RECORDS });
  const forNames = createNameLook(clock);

  const projects = (options: LookOptions): AskedList<Project> =>
    lists.ask({ key: 'projects', ...options }, () => service.listProjects(options));
  const folders = (projectId: number, options: LookOptions): AskedList<Folder> =>
    lists.ask({ key: `folders ${projectId}`, ...options }, () =>
      service.listFolders(projectId, options),
    );
  const people = (options: LookOptions): AskedList<Person> =>
    lists.ask({ key: 'people', ...options }, () => service.listPeople(options));

  return {
    projects: (options) => projects(options).kept,
    folders: (projectId, options) => folders(projectId, options).kept,
    folderName: async ({ projectId, folderId }, options) => {
      const known = await forNames(`folders ${projectId}`, () =>
        folders(projectId, { ...options, maxAgeMs: KEEP_MS }),
      );
      return known?.records.find((folder) => folder.id === folderId)?.name ?? null;
    },
    projectTitle: async (projectId, options) => {
      const known = await forNames('projects', () => projects({ ...options, maxAgeMs: KEEP_MS }));
      return known?.records.find((project) => project.id === projectId)?.title ?? null;
    },
    personName: async (personId, options) => {
      const known = await forNames('people', () => people({ ...options, maxAgeMs: KEEP_MS }));
      return known?.records.find((person) => person.id === personId)?.name ?? null;
    },
  };
}

// What has failed is not asked for by the next name of the same list.
function createNameLook(clock: Clock) {
  const failedUntil = new Map<string, number>();
  return <T>(key: string, ask: () => AskedList<T>): Promise<AccountList<T> | null> => {
    if ((failedUntil.get(key) ?? 0) > clock.now()) return Promise.resolve(null);
    failedUntil.delete(key);
    const { askedAt, kept } = ask();
    const list = kept.then(
      (copy) => copy.list,
      (error: unknown) => {
        if (error instanceof ServiceError) failedUntil.set(key, clock.now() + KEEP_FAILED_MS);
        return null;
      },
    );
    return within(list, askedAt + PATIENCE_MS - clock.now(), clock);
  };
}

// An answer that is there already comes first, however long ago it was asked for.
async function within<T>(value: Promise<T | null>, ms: number, clock: Clock): Promise<T | null> {
  const over = new AbortController();
  const patience = clock.sleep(Math.max(0, ms), over.signal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([value, patience]);
  } finally {
    over.abort();
  }
}
