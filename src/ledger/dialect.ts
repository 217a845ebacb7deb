import {
  type ColumnDefinitionBuilder,
  type Kysely,
  type Dialect as KyselyDialect,
  PostgresAdapter,
  type RawBuilder,
  sql,
} from 'kysely';

/** All in which the databases differ, but for `skipLocked`. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  kysely: KyselyDialect;
  /** Type and constraints of a generated key. */
  idType: 'integer' | 'bigint';
  id: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** True when no other process can hold leases: those left by a crash end at the start. */
  exclusive: boolean;
  /** True where all share one connection, so that commits in a row wait for the disk in a row. */
  sharesCommits: boolean;
}

const SKIP_LOCKED = sql`for update skip locked`;
const NOTHING = sql``;

/** Keeps a claim from waiting for a row that another instance is claiming. */
export function skipLocked<T>(db: Kysely<T>): RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? SKIP_LOCKED : NOTHING;
}
