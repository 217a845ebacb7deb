import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './errors.ts';
import type { StoredFile } from './file-service/index.ts';
import type { Playground } from './playground.ts';

/** The result of sharing one file. */
export interface ShareOutcome {
  path: string;
  /** Null when no record of that name appeared in time. */
  record: { id: number; folder: string; sameBytes: boolean } | null;
}

/** Rejects with `UsageError`, which names the first path that is not a file. */
export async function requireFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (!found) throw new UsageError(`There is no file ${path}.`);
    if (!found.isFile()) throw new UsageError(`${path} is not a file.`);
  }
}

/** Shares files in #general as one message and waits for their file records or the signal. */
export async function shareFiles(
  { slack, service }: Playground,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ShareOutcome[]> {
  const before = new Set(service.store.files().map(({ id }) => id));
  const fresh = () => service.store.files().filter(({ id }) => !before.has(id));
  const files = paths.map((path) => ({ name: basename(path), path }));
  await slack.share({ channel: 'general', user: 'ben', files });
  await untilTrue(() => fresh().length >= paths.length, service, signal);
  const hashes = await Promise.all(paths.map(sha256Of));
  const left = fresh();
  return paths.map((path, index) => {
    const sha256 = hashes[index] ?? '';
    const record = takeRecord(left, { name: basename(path), sha256 });
    return { path, record: record && describe(record, sha256, service) };
  });
}

/** Checks once, then after each service request; resolves when `isTrue()` or on abort. */
function untilTrue(
  isTrue: () => boolean,
  { requests }: Playground['service'],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isTrue() && !signal.aborted) return;
      unsubscribe();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const unsubscribe = requests.onRequest(check);
    signal.addEventListener('abort', check);
    check();
  });
}

// Among records of one name, prefers the one with the same bytes. Takes each record only once.
function takeRecord(
  left: StoredFile[],
  { name, sha256 }: { name: string; sha256: string },
): StoredFile | null {
  const named = left.filter((record) => record.name === name);
  const found = named.find((record) => record.sha256 === sha256) ?? named[0];
  if (!found) return null;
  left.splice(left.indexOf(found), 1);
  return found;
}

function describe(record: StoredFile, sha256: string, { store }: Playground['service']) {
  const folder = store.folder(record.folderId);
  const path = folder ? store.pathOf(folder).map(({ name }) => name) : [];
  const title = store.project(record.projectId)?.title ?? '';
  return {
    id: record.id,
    folder: [title, ...path.reverse()].join(' › '),
    sameBytes: record.sha256 === sha256,
  };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
