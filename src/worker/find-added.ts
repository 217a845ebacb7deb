import type { AddedFiles, Ledger } from '../ledger/index.ts';
import type { CallOptions, FileRecord, NameCache, ServiceClient } from '../service/index.ts';
import {
  ANNOUNCE_EVERY_MS,
  addedSince,
  type Destination,
  MOST_ANNOUNCED,
  mayBeOurs,
  type SeenUpTo,
  seenWith,
} from '../transfers/index.ts';

/** How old a list may be that somebody else asked for, in milliseconds. */
const COPY_AGE_MS = 60_000;
/** Records that the ledger is asked about at once. */
const MOST_ASKED = 1_000;

export interface FindAddedContext {
  ledger: Pick<Ledger, 'filedRecords' | 'unidentifiedIn'>;
  service: Pick<ServiceClient, 'listFiles'>;
  names: Pick<NameCache, 'folders' | 'people'>;
}

/** A folder that is looked into, and what earlier lists of it have shown; null for none. */
interface SeenFolder extends Destination {
  before: SeenUpTo | null;
}

/** What a folder has shown by now, and what others added to it since; `added` null: nothing. */
interface FoundAdded {
  seen: SeenUpTo;
  added: AddedFiles | null;
}

/** Lists a folder, and finds what others added; null where that cannot be told. */
export async function findAdded(
  folder: SeenFolder,
  call: CallOptions,
  context: FindAddedContext,
): Promise<FoundAdded | null> {
  const { before } = folder;
  const list = await context.service.listFiles(folder, { ...call, maxAgeMs: COPY_AGE_MS });
  // A file of long ago that this list lacks would pass for a new one in the next.
  if (!list.complete) return null;
  const seen = seenWith(list.files, before);
  const files = await ofOthers(addedSince(list.files, before), folder, context);
  if (files.length === 0) return { seen, added: null };
  if (!(await isThere(folder, call, context))) return null;
  const { projectId, folderId } = folder;
  const added = {
    count: files.length,
    files: files.slice(0, MOST_ANNOUNCED).map(({ name, url }) => ({ name, url })),
    by: await nameCreator(files, call, context),
    folder: { projectId, folderId },
  };
  return { seen, added };
}

// After the list, so that each of ours in it is known: its create was noted before it was sent.
async function ofOthers(
  files: readonly FileRecord[],
  folder: Destination,
  { ledger }: FindAddedContext,
): Promise<FileRecord[]> {
  const unidentified = files.length > 0 ? await ledger.unidentifiedIn(folder) : [];
  const others = files.filter((file) => !mayBeOurs(file, unidentified));
  const own = new Set<number>();
  for (let from = 0; from < others.length; from += MOST_ASKED) {
    const ids = others.slice(from, from + MOST_ASKED).map(({ id }) => id);
    for (const id of (await ledger.filedRecords(folder, ids)).keys()) own.add(id);
  }
  return others.filter(({ id }) => !own.has(id));
}

// A folder that is gone some accounts list as if it held what all others hold. Asked for after that
// list, as a folder that is there then was there before; where folders are not listed nobody can tell.
async function isThere(
  { projectId, folderId }: Destination,
  call: CallOptions,
  { names }: FindAddedContext,
): Promise<boolean> {
  const { list } = await names.folders(projectId, { ...call, maxAgeMs: 0 });
  return list === null || list.records.some(({ id }) => id === folderId);
}

// A name is never worth failing for.
async function nameCreator(
  files: readonly FileRecord[],
  call: CallOptions,
  { names }: FindAddedContext,
): Promise<string | null> {
  const [id = null, ...others] = new Set(files.map(({ creatorId }) => creatorId));
  if (id === null || others.length > 0) return null;
  const asked = names.people({ ...call, maxAgeMs: ANNOUNCE_EVERY_MS });
  const { list } = await asked.catch(() => ({ list: null }));
  return list?.records.find((person) => person.id === id)?.name ?? null;
}
