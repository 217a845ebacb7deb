import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/index.ts';
import { LedgerError } from './ledger-error.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const STICKY = 0o1000;
const NAME = 'pigeonhole.sqlite';

/**
 * The path of the database's file in `dataDir`, made where it was missing. Folder, database,
 * write-ahead log and shared memory are readable by their owner alone, whatever the umask and
 * whatever they were before. A folder of another owner keeps its mode, as only that owner can change
 * it, and so does one that everybody shares, as /tmp is (its sticky bit says so). Throws the system's error, or LEDGER_UNAVAILABLE, where that cannot be had.
 */
export function privateDatabaseFile(dataDir: string): string {
  makeFolder(dataDir);
  if (!statSync(dataDir).isDirectory())
    throw new LedgerError(
      'LEDGER_UNAVAILABLE',
      `${dataDir}: DATA_DIR is no folder; choose another`,
    );
  // On a read-only disk SQLite itself speaks of a fault of the disk.
  accessSync(dataDir, constants.W_OK);
  if (isOurs(dataDir) && !isShared(dataDir)) tighten(dataDir, FOLDER_MODE);
  const path = join(dataDir, NAME);
  closeSync(openSync(path, 'a', FILE_MODE));
  // SQLite gives a log that it makes later the mode of the database.
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`])
    if (existsSync(file)) tighten(file, FILE_MODE);
  return path;
}

function tighten(path: string, mode: number): void {
  if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode);
}

function isShared(folder: string): boolean {
  return (statSync(folder).mode & STICKY) !== 0;
}

// Windows has no owners of this kind.
function isOurs(path: string): boolean {
  const user = process.geteuid?.();
  return user === 0 || statSync(path).uid === user;
}
