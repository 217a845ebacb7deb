import type { Clock } from '../base/index.ts';
import type { Destination } from '../transfers/destination.ts';
import type { FileList } from './file-record.ts';
import { unlessAborted } from './requests/unless-aborted.ts';
import type { Lane } from './throttle/throttle.ts';

export interface ListRequest {
  destination: Destination;
  apiKey: string;
  lane: Lane;
  signal: AbortSignal | undefined;
  /** The oldest copy that will do, in milliseconds; 0 for none. */
  maxAgeMs: number;
  /** An equal request under way is joined only when it began then or later, by our clock. */
  notBefore?: number | undefined;
}

/** Fetches a folder's list; the signal aborts when nobody waits for it any more. */
export type FetchList = (signal: AbortSignal) => Promise<FileList>;

/** Lists of folders that are under way or were fetched lately. */
export interface ListCopies {
  /** A recent copy, the answer to an equal request under way in the same lane, or a new one. */
  list(request: ListRequest, fetch: FetchList): Promise<FileList>;
  /** The folder changes, or has changed: no list begun before now answers anybody from now on. */
  changed(destination: Destination): void;
}

interface Running {
  folder: string;
  beganAt: number;
  answer: Promise<FileList>;
  waiting: number;
  controller: AbortController;
}

interface Copy {
  folder: string;
  list: FileList;
}

export interface ListCopiesOptions {
  clock: Clock;
  /** Copies kept at most; those used longest ago go first. */
  capacity: number;
  /** How old a copy is when it goes, in milliseconds: nobody asks for an older one. */
  keepMs: number;
}

export function createListCopies(given: ListCopiesOptions): ListCopies {
  const running = new Map<string, Running>();
  const copies = new Map<string, Copy>();

  function recent(key: string, maxAgeMs: number): FileList | undefined {
    const copy = copies.get(key);
    if (!copy || given.clock.now() - copy.list.fetchedAt > maxAgeMs) return undefined;
    copies.delete(key);
    copies.set(key, copy);
    return copy.list;
  }

  function dropOld(): void {
    const oldest = given.clock.now() - given.keepMs;
    for (const [key, { list }] of copies) if (list.fetchedAt < oldest) copies.delete(key);
  }

  function keep(key: string, copy: Copy): void {
    copies.delete(key);
    copies.set(key, copy);
    for (const oldest of copies.keys()) {
      if (copies.size <= given.capacity) break;
      copies.delete(oldest);
    }
  }

  function start(keys: { running: string; copy: string }, folder: string, fetch: FetchList) {
    const controller = new AbortController();
    const beganAt = given.clock.now();
    const answer = fetch(controller.signal);
    const entry: Running = { folder, beganAt, waiting: 0, controller, answer };
    running.set(keys.running, entry);
    const isCurrent = () => running.get(keys.running) === entry;
    entry.answer.then(
      (list) => {
        if (!isCurrent()) return;
        running.delete(keys.running);
        keep(keys.copy, { folder, list });
      },
      () => {
        if (isCurrent()) running.delete(keys.running);
      },
    );
    return entry;
  }

  function joinable(key: string, notBefore: number): Running | undefined {
    const entry = running.get(key);
    return entry && entry.beganAt >= notBefore ? entry : undefined;
  }

  async function join(key: string, entry: Running, signal: AbortSignal | undefined) {
    entry.waiting += 1;
    try {
      return await unlessAborted(entry.answer, signal);
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) {
        if (running.get(key) === entry) running.delete(key);
        entry.controller.abort();
      }
    }
  }

  return {
    list: async ({ destination, apiKey, lane, signal, maxAgeMs, notBefore = 0 }, fetch) => {
      signal?.throwIfAborted();
      dropOld();
      const folder = folderKey(destination);
      const copyKey = `${folder} ${apiKey}`;
      const copy = maxAgeMs > 0 ? recent(copyKey, maxAgeMs) : undefined;
      if (copy) return handOut(copy);
      const key = `${lane} ${copyKey}`;
      const entry =
        joinable(key, notBefore) ?? start({ running: key, copy: copyKey }, folder, fetch);
      return handOut(await join(key, entry, signal));
    },
    changed: (destination) => {
      dropOld();
      const folder = folderKey(destination);
      for (const map of [running, copies]) {
        for (const [key, entry] of map) if (entry.folder === folder) map.delete(key);
      }
    },
  };
}

function folderKey({ projectId, folderId }: Destination): string {
  return `${projectId}/${folderId}`;
}

// Each caller has an array of its own: sorting it changes nobody else's.
function handOut(list: FileList): FileList {
  return { ...list, files: [...list.files] };
}
