import type { ColumnDefinitionBuilder, Dialect as KyselyDialect, RawBuilder } from 'kysely';

/** All in which the databases differ. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  kysely: KyselyDialect;
  /** Type and constraints of a generated key. */
  idType: 'integer' | 'bigint';
  id: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Keeps a claim from waiting for a row that another instance is claiming. */
  skipLocked: RawBuilder<unknown>;
  /** True when no other process can hold leases: those left by a crash end at the start. */
  exclusive: boolean;
  /** True where all share one connection, so that commits in a row wait for the disk in a row. */
  sharesCommits: boolean;
}
