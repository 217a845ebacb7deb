import {
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type UpdateResult,
} from 'kysely';
import type { Db, Tables } from './schema.ts';

/** Most tries of a transaction that the database rolls back in favour of others. */
const MAX_TRIES = 5;

/**
 * Runs statements all or none: in the transaction that `db` is, or else in one of their own, which
 * is retried when the database rolls it back in favour of another.
 */
export async function atomically<T>(db: Db, run: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return run(db);
  for (let tried = 1; ; tried += 1) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (tried === MAX_TRIES || !gaveWay(error)) throw error;
    }
  }
}

// Deadlocks, serialization failures: https://www.postgresql.org/docs/current/errcodes-appendix.html
const GAVE_WAY: ReadonlySet<unknown> = new Set(['40P01', '40001']);

function gaveWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && GAVE_WAY.has(error.code);
}

/** Most items per statement: databases limit its values (SQLite 32,766, PostgreSQL 65,535). */
const ROWS = 100;

/** Runs a statement for some of the items at a time; returns all rows, if it returns any. */
export async function inChunks<T, Row = never>(
  items: readonly T[],
  run: (some: T[]) => Promise<Row[]> | Promise<void>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < items.length; start += ROWS)
    for (const row of (await run(items.slice(start, start + ROWS))) ?? []) rows.push(row);
  return rows;
}

/** Returns whether a statement returns a row. */
export async function anyRow(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns how many rows a write changes. */
export async function countChanged(write: {
  executeTakeFirstOrThrow(): Promise<UpdateResult>;
}): Promise<number> {
  return Number((await write.executeTakeFirstOrThrow()).numUpdatedRows);
}

export const COUNT = sql<number>`cast(count(*) as integer)`.as('count');

/** Returns how many transfers `rows` selects. */
export async function countOf(
  rows: SelectQueryBuilder<Tables, 'transfers', unknown>,
): Promise<number> {
  return (await rows.select(COUNT).executeTakeFirstOrThrow()).count;
}

/** Makes a claim skip rows that another instance is claiming. */
export function skipLocked(db: Db): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update skip locked` : sql``;
}

/** Locks the rows that a query reads from a table until the transaction ends. */
export function locked(db: Db, table: keyof Tables): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update of ${sql.table(table)}` : sql``;
}

/** Keeps the rows that a query reads from being deleted until the transaction ends. */
export function shared(db: Db): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for key share` : sql``;
}

/** Returns the database's clock, in epoch milliseconds: the one that all instances see alike. */
export function databaseNow(db: Db): RawBuilder<number> {
  return isPostgres(db)
    ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql`cast(unixepoch('subsec') * 1000 as integer)`;
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
