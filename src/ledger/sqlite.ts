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
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { makeFolder } from '../base/index.ts';
import { LedgerError, toLedgerError } from './ledger-error.ts';
import type { Dialect } from './schema.ts';

/**
 * Returns the embedded database, one file in `dataDir`, with a write-ahead log. A commit is on disk
 * before its call resolves, except for calls that need not wait: see shareCommits. The process holds
 * it exclusively, so that a second process on the same folder is refused (LEDGER_IN_USE) and leases
 * left by a crash can end at the start. Writes fail with LEDGER_UNAVAILABLE once the file is not
 * where it was opened. Only the process's owner can read it: see privateDatabaseFile.
 */
export function sqliteDialect(dataDir: string): Dialect {
  const { database, awaitDisk } = openDatabase(dataDir);
  return {
    name: 'sqlite',
    kysely: new TransactionalDialect({ database }),
    id: 'integer primary key autoincrement',
    embedded: true,
    awaitDisk,
  };
}

// An interrupted migration must leave nothing: by default, Kysely uses no transaction here.
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

function openDatabase(dataDir: string) {
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

/**
 * Returns what the database in `dataDir` holds; null if there is none, or one without links and
 * shares; `unreadable` if it cannot be read, as while another process has it open. Changes no data.
 */
export function findUsedSqlite(dataDir: string) {
  const path = join(dataDir, NAME);
  if (!existsSync(path)) return null;
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const { links, waitingFiles, shares } = database.prepare(HOLDS).get() as Holding;
      return links + shares === 0 ? null : { links, waitingFiles };
    } finally {
      database.close();
    }
  } catch (error) {
    const isEmpty = error instanceof Error && error.message.startsWith('no such table');
    return isEmpty ? null : 'unreadable';
  }
}

type Holding = Record<'links' | 'waitingFiles' | 'shares', number>;

const HOLDS = `select
  (select count(*) from channels where project_id is not null) as links,
  (select count(*) from transfers where state in ('recorded', 'uploaded', 'creating', 'created'))
    as "waitingFiles",
  (select count(*) from shares) as shares`;

/** Returns a check that throws LEDGER_UNAVAILABLE once `path` is not the same file any more. */
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

/** Longest statement to cache, in characters: longer ones insert many rows and seldom repeat. */
const MAX_KEPT_LENGTH = 4_000;

// Kysely expects better-sqlite3's interface. Preparing costs more than running, hence the cache.
function adapt(database: DatabaseSync, checkPlace: () => void) {
  let wanted = 'full';
  let level = 'full';
  const kept = new Map<string, ReturnType<typeof prepareIn>>();
  const prepare = (text: string) => {
    const prepared = kept.get(text) ?? prepareIn(database, text);
    if (kept.size < 500 && text.length < MAX_KEPT_LENGTH) kept.set(text, prepared);
    return prepared;
  };
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare: (text) => {
      const { statement, reader, writes } = prepare(text);
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      const beforeWrite = () => {
        if (!writes) return;
        // What a transaction writes is checked at its end.
        if (text === 'commit' || !(database.isTransaction || text === 'begin')) checkPlace();
        // Within a transaction, SQLite refuses to change the level.
        if (level === wanted || database.isTransaction) return;
        database.exec(`PRAGMA synchronous = ${wanted}`);
        level = wanted;
      };
      return {
        reader,
        all: (parameters) => {
          beforeWrite();
          return statement.all(...values(parameters));
        },
        run: (parameters) => {
          // A full disk has SQLite roll back by itself; a second rollback would hide the cause.
          if (text === 'rollback' && !database.isTransaction)
            return { changes: 0, lastInsertRowid: 0 };
          beforeWrite();
          return statement.run(...values(parameters));
        },
        iterate: (parameters) =>
          statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
  const awaitDisk = (awaits: boolean) => {
    wanted = awaits ? 'full' : 'normal';
  };
  return { database: adapted, awaitDisk };
}

// The columns are read once: describing them costs as much as running the statement.
function prepareIn(database: DatabaseSync, text: string) {
  const statement = database.prepare(text);
  const writes = !/^\s*(select|rollback)\b/i.test(text);
  return { statement, reader: statement.columns().length > 0, writes };
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const STICKY = 0o1000;
const NAME = 'pigeonhole.sqlite';

/**
 * Returns the path of the database's file in `dataDir`, created if missing. Makes the folder,
 * database, write-ahead log and shared memory readable by their owner alone, whatever the umask and
 * their earlier modes. A folder keeps its mode if it has another owner, also for root, or if
 * everybody shares it, like /tmp (sticky bit). Throws the system's error, or LEDGER_UNAVAILABLE,
 * when that fails.
 */
function privateDatabaseFile(dataDir: string): string {
  makeFolder(dataDir);
  const folder = statSync(dataDir);
  if (!folder.isDirectory())
    throw new LedgerError(
      'LEDGER_UNAVAILABLE',
      `${dataDir}: DATA_DIR isn’t a folder; choose another`,
    );
  // Checked here because SQLite reports a read-only disk as a disk fault.
  accessSync(dataDir, constants.W_OK);
  // Windows has no such owners: `geteuid` is missing there.
  const isOurs = folder.uid === process.geteuid?.();
  const isShared = (folder.mode & STICKY) !== 0;
  if (isOurs && !isShared) tighten(dataDir, FOLDER_MODE);
  const path = join(dataDir, NAME);
  closeSync(openSync(path, 'a', FILE_MODE));
  // SQLite creates later logs with the database's mode.
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`])
    if (existsSync(file)) tighten(file, FILE_MODE);
  return path;
}

function tighten(path: string, mode: number): void {
  if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode);
}
