import {
  type CompiledQuery,
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

/** Runs a statement for some of the items at a time; returns all rows. */
export async function inChunks<T, Row>(
  items: readonly T[],
  run: (some: T[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < items.length; start += ROWS)
    for (const row of await run(items.slice(start, start + ROWS))) rows.push(row);
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

/** Runs a statement with these values; returns its rows. */
type Prepared<Values, Row> = (db: Db, values: Values) => Promise<Row[]>;

/**
 * Returns a function that runs a statement with the given values, and compiles it only once for
 * each database and for each set of values' names: Kysely takes longer to compile what each file
 * needs than SQLite takes to run it. `build` may use each value only as a whole, where a statement
 * takes a value; but a value named `table` is a table's name, which it may use as it likes.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => CompiledQuery<Row>,
): Prepared<Values, Row> {
  const statements = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    const known = statements.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    statements.set(adapter, known);
    const given = values as Record<string, unknown>;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const variant = `${given['table']} ${names}`;
    const statement = known.get(variant) ?? build(db, placeholders(given, names) as Values);
    known.set(variant, statement);
    const parameters = statement.parameters.map((one) =>
      typeof one === 'symbol' ? given[one.description ?? ''] : one,
    );
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}

// Symbols stand for the values, whose names they carry: no value is a symbol.
function placeholders(given: Record<string, unknown>, names: readonly string[]): object {
  const stands = (name: string) => (name === 'table' ? given[name] : Symbol(name));
  return Object.fromEntries(names.map((name) => [name, stands(name)]));
}
