import type { Clock } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { CallOptions, ServiceClient } from './client.ts';
import { ServiceError } from './requests/service-error.ts';

const KEEP_MS = 10 * 60_000;
const KEEP_FAILED_MS = 30_000;
/** How long a name is waited for, from when it was asked of the service, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Names of folders, projects and people, from lists that are kept for ten minutes. Answers null
 * wherever the account does not tell, or not now: a name is never worth failing for, nor more than
 * two seconds. What comes later is there for who asks next.
 */
export interface Directory {
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
  const keep = createKeeper(clock);
  const look = <T>(key: string, fetch: () => Promise<T | null>) => {
    const { value, askedAt } = keep(key, fetch);
    return within(value, askedAt + PATIENCE_MS - clock.now(), clock);
  };
  return {
    folderName: async ({ projectId, folderId }, options) => {
      const folders = await look(`folders ${projectId}`, () =>
        service.listFolders(projectId, options),
      );
      return folders?.find((folder) => folder.id === folderId)?.name ?? null;
    },
    projectTitle: async (projectId, options) => {
      const projects = await look('projects', () => service.listProjects(options));
      return projects?.find((project) => project.id === projectId)?.title ?? null;
    },
    personName: async (personId, options) => {
      const people = await look('people', () => service.listPeople(options));
      return people?.find((person) => person.id === personId)?.name ?? null;
    },
  };
}

interface Kept<T> {
  askedAt: number;
  value: Promise<T | null>;
}

// Keeps the promise, so that many askers at once are one call.
function createKeeper(clock: Clock) {
  const kept = new Map<string, Kept<unknown> & { until: number }>();
  return <T>(key: string, fetch: () => Promise<T | null>): Kept<T> => {
    const now = clock.now();
    const entry = kept.get(key);
    if (entry && entry.until > now) return entry as Kept<T>;
    const value = fetch().catch((error: unknown) => {
      const none = { askedAt: now, value: Promise.resolve(null) };
      if (!(error instanceof ServiceError)) kept.delete(key);
      else kept.set(key, { ...none, until: clock.now() + KEEP_FAILED_MS });
      return null;
    });
    kept.set(key, { askedAt: now, value, until: now + KEEP_MS });
    return { askedAt: now, value };
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
