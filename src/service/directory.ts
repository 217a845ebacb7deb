import type { Clock } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { CallOptions, ServiceClient } from './client.ts';
import { ServiceError } from './service-error.ts';

const KEEP_MS = 10 * 60_000;
const KEEP_FAILED_MS = 30_000;
/** How long somebody who waits is kept for a name, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Names of folders, projects and people, from lists that are kept for ten minutes. Answers null
 * wherever the account does not tell, or not now: a name is never worth failing for, nor, where
 * somebody waits (the interactive lane), more than two seconds.
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
  const look = async <T>(key: string, options: CallOptions, fetch: () => Promise<T | null>) => {
    const value = keep(key, fetch);
    return options.lane === 'interactive' ? withinPatience(value, clock) : value;
  };
  return {
    folderName: async ({ projectId, folderId }, options) => {
      const folders = await look(`folders ${projectId}`, options, () =>
        service.listFolders(projectId, options),
      );
      return folders?.find((folder) => folder.id === folderId)?.name ?? null;
    },
    projectTitle: async (projectId, options) => {
      const projects = await look('projects', options, () => service.listProjects(options));
      return projects?.find((project) => project.id === projectId)?.title ?? null;
    },
    personName: async (personId, options) => {
      const people = await look('people', options, () => service.listPeople(options));
      return people?.find((person) => person.id === personId)?.name ?? null;
    },
  };
}

// Keeps the promise, so that many askers at once are one call.
function createKeeper(clock: Clock) {
  const kept = new Map<string, { until: number; value: Promise<unknown> }>();
  return async <T>(key: string, fetch: () => Promise<T | null>): Promise<T | null> => {
    const entry = kept.get(key);
    if (entry && entry.until > clock.now()) return (await entry.value) as T | null;
    const value = fetch().catch((error: unknown) => {
      if (!(error instanceof ServiceError)) kept.delete(key);
      else kept.set(key, { until: clock.now() + KEEP_FAILED_MS, value: Promise.resolve(null) });
      return null;
    });
    kept.set(key, { until: clock.now() + KEEP_MS, value });
    return value;
  };
}

async function withinPatience<T>(value: Promise<T | null>, clock: Clock): Promise<T | null> {
  const over = new AbortController();
  const patience = clock.sleep(PATIENCE_MS, over.signal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([value, patience]);
  } finally {
    over.abort();
  }
}
