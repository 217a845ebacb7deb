import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock of SQLite's ends with its process, however that ends. */
const LOCK = '.in-use';
const SQLITE_BUSY = 5;

/**
 * Keeps other playgrounds out of a folder until it is let go: each start removes what the one before
 * left there. Returns what lets it go; throws when another playground is in it.
 */
export function holdFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, LOCK));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new Error(inUse(folder)) : error;
  }
  return () => lock.close();
}

function inUse(folder: string): string {
  return `another playground is running in ${folder}. End that one first, or name another folder with --data`;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
