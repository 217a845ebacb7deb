import { type Migration, Migrator } from 'kysely';
import { LedgerError } from './ledger-error.ts';
import { firstMigrations } from './migrations/first-migrations.ts';
import { laterMigrations } from './migrations/later-migrations.ts';
import type { Db, Dialect } from './schema.ts';

/**
 * Returns all migrations, which run in the order of their names. A new name may sort before one
 * that a database already has, so that only those of the first versions rely on each other.
 */
export function migrationsOf(dialect: Dialect): Record<string, Migration> {
  return { ...firstMigrations(dialect), ...laterMigrations(dialect) };
}

/**
 * Migrates the tables to this version; safe from several instances at once. Rejects with
 * LEDGER_TOO_NEW when a newer version has been here, LEDGER_CORRUPT when the tables are another
 * program's, else the driver's error.
 */
export async function migrate(db: Db, dialect: Dialect): Promise<void> {
  const migrations = migrationsOf(dialect);
  const provider = { getMigrations: async () => migrations };
  // Some databases ran migrations before ones with earlier names existed.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  const said = error instanceof Error ? error.message : '';
  if (said.includes('corrupted migrations')) {
    const message = `the database was written by a newer version; update Pigeonhole (${said})`;
    throw new LedgerError('LEDGER_TOO_NEW', message, { cause: error });
  }
  // SQLite has no error code for this.
  if (said.endsWith('already exists')) {
    const message = `the database belongs to another program: ${said} (choose another DATA_DIR or DATABASE_URL)`;
    throw new LedgerError('LEDGER_CORRUPT', message, { cause: error });
  }
  if (error) throw error;
}
