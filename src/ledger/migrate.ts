import { type Migration, Migrator } from 'kysely';
import type { Dialect } from './dialect.ts';
import { LedgerError, toLedgerError } from './ledger-error.ts';
import { firstMigrations } from './migrations/first-migrations.ts';
import { laterMigrations } from './migrations/later-migrations.ts';
import type { Db } from './schema.ts';

/**
 * All changes of the tables, made in the order of their names. A new one may come before one that a
 * database has had already, so none relies on another after those of the first versions.
 */
export function migrationsOf(dialect: Dialect): Record<string, Migration> {
  return { ...firstMigrations(dialect), ...laterMigrations(dialect) };
}

/**
 * Brings the tables up to date; safe to run from several instances at once. Errors:
 * LEDGER_TOO_NEW when a newer version has been here, LEDGER_CORRUPT when the tables are another
 * program's, else as `toLedgerError` says.
 */
export async function migrate(db: Db, dialect: Dialect): Promise<void> {
  const migrations = migrationsOf(dialect);
  const provider = { getMigrations: async () => migrations };
  // Some versions had later ones before those between were made.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && error.message.includes('corrupted migrations'))
    throw new LedgerError('LEDGER_TOO_NEW', newerMessage(error), { cause: error });
  // SQLite has no code of its own for it.
  if (error instanceof Error && error.message.endsWith('already exists'))
    throw new LedgerError('LEDGER_CORRUPT', foreignMessage(error), { cause: error });
  if (error) throw toLedgerError(error, { isStart: true });
}

function foreignMessage(error: Error): string {
  return `the database belongs to another program: ${error.message} (choose another DATA_DIR or DATABASE_URL)`;
}

function newerMessage(error: Error): string {
  return `the database was written by a newer version; update Pigeonhole (${error.message})`;
}
