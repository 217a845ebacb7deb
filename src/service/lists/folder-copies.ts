import type { Clock } from '../../base/index.ts';
import type { FileRecord } from '../file-record.ts';
import type { Listing } from './listing.ts';

/** A whole list of a folder, as it was once read. */
export interface FolderCopy {
  folder: string;
  listing: Listing<FileRecord>;
  /** How often the folder had been changed through this client when the reading began. */
  version: number;
}

/** What folders held when they were last read, by folder and key. */
export interface FolderCopies {
  keep(key: string, copy: FolderCopy): void;
  /** The copy, however old it is; using it keeps it from giving way. */
  get(key: string): FolderCopy | undefined;
  forget(key: string): void;
  /** A record of a folder is gone. */
  drop(folder: string, recordId: number): void;
}

export interface FolderCopiesOptions {
  clock: Clock;
  /** Records kept at most, in all copies; the copies used longest ago go first. */
  capacity: number;
  /** How old a copy of a list that took one answer is when it goes, in milliseconds. */
  keepMs: number;
  /** The same for a list that took many: it spares reading them all again. */
  keepPagedMs: number;
}

/** Characters of names and addresses that count as much as a record. */
const CHARACTERS_PER_RECORD = 256;

export function createFolderCopies(given: FolderCopiesOptions): FolderCopies {
  const copies = new Map<string, FolderCopy & { size: number }>();
  let held = 0;

  function forget(key: string): void {
    held -= copies.get(key)?.size ?? 0;
    copies.delete(key);
  }

  function forgetOld(): void {
    const now = given.clock.now();
    for (const [key, { listing }] of copies) {
      const keepMs = listing.paged ? given.keepPagedMs : given.keepMs;
      if (now - listing.fetchedAt > keepMs) forget(key);
    }
  }

  function keep(key: string, copy: FolderCopy): void {
    forget(key);
    const size = sizeOf(copy.listing);
    if (size > given.capacity) return;
    copies.set(key, { ...copy, size });
    held += size;
    for (const oldest of copies.keys()) {
      if (held <= given.capacity) break;
      forget(oldest);
    }
  }

  return {
    keep: (key, copy) => {
      forgetOld();
      keep(key, copy);
    },
    get: (key) => {
      forgetOld();
      const copy = copies.get(key);
      if (copy) {
        copies.delete(key);
        copies.set(key, copy);
      }
      return copy;
    },
    forget,
    drop: (folder, recordId) => {
      forgetOld();
      for (const copy of copies.values()) if (copy.folder === folder) dropRecord(copy, recordId);
    },
  };
}

function dropRecord(copy: FolderCopy, recordId: number): void {
  const { listing } = copy;
  if (!listing.records.has(recordId)) return;
  const records = new Map(listing.records);
  records.delete(recordId);
  copy.listing = { ...listing, records, lastAt: listing.lastAt - 1, next: listing.lastAt - 1 };
}

// An empty list is worth something too; odd ones with very long names are worth many.
function sizeOf({ records }: Listing<FileRecord>): number {
  let characters = 0;
  for (const { name, url } of records.values()) characters += name.length + (url?.length ?? 0);
  return 1 + records.size + Math.floor(characters / CHARACTERS_PER_RECORD);
}
