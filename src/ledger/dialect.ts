import { type Dialect as KyselyDialect, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from './schema.ts';

/** In what the databases differ. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  kysely: KyselyDialect;
  /** Type and constraints of a generated key, as SQL. */
  id: string;
  /**
   * Whether this process has it alone, over one connection: leases left by a crash end at the start, and
   * commits are shared, as they would wait for the disk in a row.
   */
  embedded: boolean;
}

/** Keeps a claim from waiting for a row that another instance is claiming. */
export function skipLocked(db: Db): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update skip locked` : sql``;
}

/** Has the rows of a table that are read stay as they are until the transaction ends. */
export function locked(db: Db, table: keyof Tables): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update of ${sql.table(table)}` : sql``;
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
