import { CamelCasePlugin, Kysely, type Migration, Migrator } from 'kysely';
import { callsOf } from './calls.ts';
import { sweepLeases } from './lease.ts';
import { LedgerError, toLedgerError } from './ledger-error.ts';
import { firstMigrations } from './migrations/first-migrations.ts';
import { laterMigrations } from './migrations/later-migrations.ts';
import type { Db, Dialect, Tables } from './schema.ts';

/**
 * Opens the ledger: runs the migrations and, where no other process can hold claims, ends those
 * left by a crash, except on messages in Slack. All its methods reject with LedgerError only.
 */
export async function openLedger(dialect: Dialect, now: number) {
  const db = new Kysely<Tables>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  try {
    await migrate(db, dialect);
    if (dialect.embedded)
      for (const table of ['transfers', 'readings', 'deletions', 'watches'] as const)
        await sweepLeases(db, table, { now, all: true });
  } catch (error) {
    throw toLedgerError(error, { setting: dialect.embedded ? 'DATA_DIR' : 'DATABASE_URL' });
  }
  return {
    /** Whether only this process uses it. */
    embedded: dialect.embedded,
    ...callsOf(db, dialect),
  };
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>;

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
  const provider = { getMigrations: async () => migrationsOf(dialect) };
  // Some databases ran migrations before ones with earlier names existed.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  const said = error instanceof Error ? error.message : '';
  if (said.includes('corrupted migrations')) {
    const message = 'the database was written by a newer version; update Pigeonhole';
    throw new LedgerError('LEDGER_TOO_NEW', message, { cause: error });
  }
  // SQLite has no error code for this.
  if (said.endsWith('already exists')) {
    const message = `the database belongs to another program: ${said} (choose another DATA_DIR or DATABASE_URL)`;
    throw new LedgerError('LEDGER_CORRUPT', message, { cause: error });
  }
  if (error) throw error;
}
