import { createReadStream } from 'node:fs';
import {
  DEMO_API_KEY,
  type Fault,
  type FaultScope,
  type FileService,
  type ProfileName,
} from '../file-service/index.ts';
import { HttpError } from './local-server.ts';

/** A setting that the visitor can choose. */
export interface Option<Id extends string = string> {
  id: Id;
  /** Ends the sentence "Make the service …", "Make Slack …" or "The service answers …". */
  label: string;
  /** What follows from this option; null for the usual one. */
  expect: string | null;
}

interface FaultOption extends Option {
  fault: Fault | 'none';
  scope?: FaultScope;
  /** Whether it hits only the folder that the visitor looks at. */
  isOfFolder?: boolean;
}

const FAULTS: readonly FaultOption[] = [
  { id: 'works', label: 'work', expect: null, fault: 'none' },
  {
    id: 'busy',
    label: 'refuse with 429',
    expect: 'Every call gets a 429. Pigeonhole waits as long as it’s asked to, then tries again.',
    fault: { mode: '429', retryAfter: 'seconds', ms: 4000 },
  },
  {
    id: 'failing',
    label: 'fail with 500',
    expect:
      'Files wait. Their thread says why, and when the next try is. Set this to “work” and press Try again.',
    fault: { mode: '500' },
  },
  {
    id: 'outage',
    label: 'be down',
    expect:
      'Nothing answers at all. What you share now waits, and is filed once the service is back.',
    fault: { mode: 'outage' },
  },
  {
    id: 'slow',
    label: 'be slow',
    expect: 'Every answer takes 1.5 seconds more. Slack is still answered at once.',
    fault: { mode: 'slow', ms: 1500 },
  },
  {
    id: 'lossy',
    label: 'lose its answers',
    expect:
      'A file is filed, but the answer never comes. Within seconds Pigeonhole looks in the folder and finds it, so nothing is filed twice.',
    fault: { mode: 'reset-after' },
    scope: { only: 'create' },
  },
  {
    id: 'key-refused',
    label: 'refuse the key (401)',
    expect:
      'As if somebody had withdrawn the key. All files wait until the service accepts it again.',
    fault: { mode: '401' },
  },
  {
    id: 'folder-refused',
    label: 'refuse one folder (403)',
    expect:
      'It refuses what concerns the folder that you looked at last under Files. Others go on.',
    fault: { mode: '403' },
    isOfFolder: true,
  },
];

/** The faults, and none, for the page to choose from. */
export const FAULT_OPTIONS: readonly Option[] = FAULTS.map(({ id, label, expect }) => ({
  id,
  label,
  expect,
}));

/**
 * Sets the service's fault, for the folder that the visitor looks at if it is of one folder. Throws
 * status 400 if there is no such option.
 */
export function setFault(service: FileService, id: string, folderId: number): void {
  const found = FAULTS.find((option) => option.id === id);
  if (!found) throw new HttpError(400, 'There is no such state of the service.');
  const { fault, scope, isOfFolder = false } = found;
  service.faults.set(fault, isOfFolder ? { folderId } : scope);
}

/** Returns the id of the service's current fault; `works` for one that is not offered. */
export function currentFault(service: FileService): string {
  return FAULTS.find(({ fault }) => fault === service.faults.current())?.id ?? 'works';
}

/** All profiles, for the page to choose from. */
export const PROFILE_OPTIONS: readonly Option<ProfileName>[] = [
  { id: 'specified', label: 'as documented', expect: null },
  {
    id: 'real',
    label: 'as real accounts do',
    expect:
      'Lists come 100 at a time, folders as one tree, titles escaped, and errors with status 200. Switching restarts Pigeonhole.',
  },
];

/** Adds a file in the service itself, as the user of Pigeonhole's key does in a browser. */
export async function addFile(
  { store }: FileService,
  folderId: number,
  { name, path }: { name: string; path: string },
): Promise<void> {
  const folder = store.folder(folderId);
  const creator = store.personByKey(DEMO_API_KEY);
  if (!folder || !creator) throw new HttpError(404, FOLDER_GONE);
  const bytes = await store.receive(createReadStream(path), new AbortController().signal);
  const upload = { projectId: folder.projectId, uploaderId: creator.id, name, bytes };
  store.createFiles(folder, [await store.addAttachment(upload)], creator.id);
}

/** Renames a folder in the service itself. */
export function renameFolder({ store }: FileService, folderId: number, name: string): void {
  if (!store.renameFolder(folderId, name)) throw new HttpError(404, FOLDER_GONE);
}

/** Deletes a folder in the service itself, with all that is in it. */
export function deleteFolder({ store }: FileService, folderId: number): void {
  if (!store.deleteFolder(folderId)) throw new HttpError(404, FOLDER_GONE);
}

const FOLDER_GONE = 'The folder had already been deleted.';
