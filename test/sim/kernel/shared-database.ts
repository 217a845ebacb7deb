import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type DatabaseConnection, type Driver, type SqliteDatabase, SqliteDialect } from 'kysely';
import type { Dialect } from '../../../src/ledger/index.ts';
import { SimProcess } from './process.ts';
import { currentOwner, virtualNow } from './virtual-time.ts';

/** Admits one holder at a time, in the order of their calls. */
export type Mutex = ReturnType<typeof createMutex>;

export function createMutex() {
  let last: Promise<void> = Promise.resolve();
  return {
    /** Resolves with a function that releases the mutex; calling it twice is harmless. */
    take: async (): Promise<() => void> => {
      const before = last;
      const mine = Promise.withResolvers<void>();
      last = mine.promise;
      await before;
      return mine.resolve;
    },
  };
}

/**
 * Returns a dialect that acts like one PostgreSQL for several instances: no instance locks the
 * database for itself, a transaction excludes all others while it lasts, and a dead process's
 * transaction is rolled back. Each instance has a connection of its own to one SQLite file, which
 * is a hundred times faster than a PostgreSQL in this process.
 */
export function sharedDialect(dataDir: string, mutex: Mutex): Dialect {
  return {
    name: 'sqlite',
    kysely: new SharedDialect(openShared(join(dataDir, 'pigeonhole.sqlite')), mutex),
    id: 'integer primary key autoincrement',
    embedded: false,
  };
}

function openShared(path: string): SqliteDatabase {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = wal');
  database.exec('PRAGMA foreign_keys = on');
  // The database's clock, which is never off.
  database.function('unixepoch', { varargs: true }, () => virtualNow() / 1000);
  const kept = new Map<string, { statement: StatementSync; reader: boolean }>();
  const prepare = (text: string) => {
    const known = kept.get(text);
    if (known) return known;
    const statement = database.prepare(text);
    const prepared = { statement, reader: statement.columns().length > 0 };
    kept.set(text, prepared);
    return prepared;
  };
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    close: () => database.close(),
    prepare: (text) => {
      const { statement, reader } = prepare(text);
      return {
        reader,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) =>
          text === 'rollback' && !database.isTransaction
            ? { changes: 0, lastInsertRowid: 0 }
            : statement.run(...values(parameters)),
        iterate: (parameters) =>
          statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
}

class SharedDialect extends SqliteDialect {
  readonly #mutex: Mutex;

  constructor(database: SqliteDatabase, mutex: Mutex) {
    super({ database });
    this.#mutex = mutex;
  }

  // Who has the connection holds the mutex.
  override createDriver(): Driver {
    const driver = super.createDriver();
    const held = new Map<DatabaseConnection, () => void>();
    return {
      init: () => driver.init(),
      acquireConnection: async () => {
        const release = await this.#mutex.take();
        const owner = currentOwner();
        if (owner instanceof SimProcess) owner.onDeath(release);
        const connection = await driver.acquireConnection();
        held.set(connection, release);
        return connection;
      },
      beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
      commitTransaction: (connection) => driver.commitTransaction(connection),
      rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
      releaseConnection: async (connection) => {
        const release = held.get(connection);
        held.delete(connection);
        await driver.releaseConnection(connection);
        release?.();
      },
      destroy: () => driver.destroy(),
    };
  }
}
