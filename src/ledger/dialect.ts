import { type Dialect as KyselyDialect, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from './schema.ts';

/** What differs between the databases. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  kysely: KyselyDialect;
  /** Type and constraints of a generated key, as SQL. */
  id: string;
  /**
   * Whether only this process uses it, over one connection: leases left by a crash end at the
   * start, and calls share commits, which would otherwise wait for the disk one after another.
   */
  embedded: boolean;
  /** Sets whether later commits wait until they are on disk; by default they do. */
  awaitDisk?: (awaits: boolean) => void;
}

/** Makes a claim skip rows that another instance is claiming. */
export function skipLocked(db: Db): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update skip locked` : sql``;
}

/** Locks the rows that a query reads from a table until the transaction ends. */
export function locked(db: Db, table: keyof Tables): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update of ${sql.table(table)}` : sql``;
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
