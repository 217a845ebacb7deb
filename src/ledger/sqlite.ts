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
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { makeFolder } from '../base/index.ts';
import type { Dialect } from './dialect.ts';
import { LedgerError, toLedgerError } from './ledger-error.ts';

/**
 * The embedded database, one file in `dataDir`: write-ahead log, every commit on disk before it is
 * answered for. It is held exclusively while the process lives, so that a second process on the
 * same folder is refused (LEDGER_IN_USE) and leases left by a crash can be ended at the start.
 * Nothing is written while the file is not where it was opened (LEDGER_UNAVAILABLE). Only the owner
 * of the process can read it: see privateDatabaseFile.
 */
export function sqliteDialect(dataDir: string): Dialect {
  return {
    name: 'sqlite',
    kysely: new TransactionalDialect({ database: openDatabase(dataDir) }),
    id: 'integer primary key autoincrement',
    embedded: true,
  };
}

// A migration that is cut off must leave nothing: Kysely would make each table by itself.
class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function openDatabase(dataDir: string): SqliteDatabase {
  try {
    const path = privateDatabaseFile(dataDir);
    const database = new DatabaseSync(path, { timeout: 200 });
    database.exec('PRAGMA locking_mode = exclusive');
    database.exec('PRAGMA journal_mode = wal');
    database.exec('PRAGMA synchronous = full');
    database.exec('PRAGMA foreign_keys = on');
    database.exec('BEGIN IMMEDIATE; COMMIT');
    return adapt(database, createCheckPlace(path));
  } catch (error) {
    throw toLedgerError(error, { where: dataDir, setting: 'DATA_DIR' });
  }
}

/** Throws LEDGER_UNAVAILABLE when the file that is at `path` now is not there any more. */
function createCheckPlace(path: string): () => void {
  const { dev, ino } = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.dev === dev && found.ino === ino) return;
    throw new LedgerError(
      'LEDGER_UNAVAILABLE',
      `${path}: the database was moved or removed (put it back, or start Pigeonhole anew)`,
    );
  };
}

/** Longer statements insert many rows: hardly any number of them comes twice. */
const LONGEST_KEPT = 1_500;

// Kysely speaks the interface of better-sqlite3; statements are kept, as preparing costs more than running.
function adapt(database: DatabaseSync, checkPlace: () => void): SqliteDatabase {
  const kept = new Map<string, Prepared>();
  const prepare = (text: string) => {
    const prepared = kept.get(text) ?? prepareIn(database, text);
    if (kept.size < 500 && text.length < LONGEST_KEPT) kept.set(text, prepared);
    return prepared;
  };
  return {
    close: () => database.close(),
    prepare: (text) => {
      const { statement, reader, writes } = prepare(text);
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader,
        all: (parameters) => {
          if (writes) checkPlace();
          return statement.all(...values(parameters));
        },
        run: (parameters) => {
          // SQLite itself undoes a transaction that meets a full disk: undoing it again would fail,
          // and hide why.
          if (text === 'rollback' && !database.isTransaction)
            return { changes: 0, lastInsertRowid: 0 };
          if (writes) checkPlace();
          return statement.run(...values(parameters));
        },
        iterate: (parameters) =>
          statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
}

interface Prepared {
  statement: StatementSync;
  /** Whether it returns rows. */
  reader: boolean;
  /** Whether something may be on disk by it. */
  writes: boolean;
}

// What a statement returns is asked once: describing its columns costs as much as running it.
function prepareIn(database: DatabaseSync, text: string): Prepared {
  const statement = database.prepare(text);
  const writes = !/^\s*(select|with|rollback)\b/i.test(text);
  return { statement, reader: statement.columns().length > 0, writes };
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const STICKY = 0o1000;
const NAME = 'pigeonhole.sqlite';

/**
 * The path of the database's file in `dataDir`, made where it was missing. Folder, database,
 * write-ahead log and shared memory are readable by their owner alone, whatever the umask and
 * whatever they were before. A folder of another owner keeps its mode, also for root, and so does one
 * that everybody shares, as /tmp is (its sticky bit says so). Throws the system's error, or
 * LEDGER_UNAVAILABLE, where that cannot be had.
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
  return statSync(path).uid === process.geteuid?.();
}
