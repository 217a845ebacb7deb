import { type Migration, Migrator } from 'kysely';
import type { Dialect } from './dialect.ts';
import { LedgerError } from './ledger-error.ts';
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
 * program's, else the driver's own.
 */
export async function migrate(db: Db, dialect: Dialect): Promise<void> {
  const migrations = migrationsOf(dialect);
  const provider = { getMigrations: async () => migrations };
  // Some versions had later ones before those between were made.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  const said = error instanceof Error ? error.message : '';
  if (said.includes('corrupted migrations')) {
    const message = `the database was written by a newer version; update Pigeonhole (${said})`;
    throw new LedgerError('LEDGER_TOO_NEW', message, { cause: error });
  }
  // SQLite has no code of its own for it.
  if (said.endsWith('already exists')) {
    const message = `the database belongs to another program: ${said} (choose another DATA_DIR or DATABASE_URL)`;
    throw new LedgerError('LEDGER_CORRUPT', message, { cause: error });
  }
  if (error) throw error;
}
