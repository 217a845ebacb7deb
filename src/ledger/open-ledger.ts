import { CamelCasePlugin, Kysely, type Migration, Migrator } from 'kysely';
import { callsOf } from './calls.ts';
import { sweepLeases } from './jobs.ts';
import { LedgerError, toLedgerError } from './ledger-error.ts';
import { first } from './migrations/first.ts';
import type { Db, Dialect, Tables } from './schema.ts';

const NOT_IN_SLACK = ['upload', 'folder', 'catch-up', 'backfill', 'deletion', 'watch'] as const;

/**
 * Opens the ledger: runs the migrations and, where no other process can hold claims, ends those
 * left by a crash, except on messages in Slack. All its methods reject with LedgerError only.
 */
export async function openLedger(dialect: Dialect, now: number) {
  const db = new Kysely<Tables>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  try {
    await migrate(db, dialect);
    if (dialect.embedded) await sweepLeases(db, NOT_IN_SLACK, { now, all: true });
  } catch (error) {
    await db.destroy().catch(() => undefined);
    throw toLedgerError(error, { setting: dialect.embedded ? 'DATA_DIR' : 'DATABASE_URL' });
  }
  return {
    /** Whether only this process uses it. */
    embedded: dialect.embedded,
    ...callsOf(db, dialect),
  };
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>;

const TOO_NEW = 'the database was written by a newer version; update Pigeonhole';
const TOO_OLD =
  'the database was written before the first release, and cannot be carried over; choose another DATA_DIR or DATABASE_URL';

/** The name of the first migration. Names sort in the order in which they run. */
const FIRST = '100-first';

/** Returns all migrations, by name. */
function migrationsOf(dialect: Dialect): Record<string, Migration> {
  return { [FIRST]: first(dialect) };
}

/**
 * Migrates the tables to this version; safe from several instances at once. Rejects with
 * LEDGER_TOO_NEW when a newer version has been here, LEDGER_TOO_OLD when one was from before the
 * first release, LEDGER_CORRUPT when the tables are another program's, else the driver's error.
 */
export async function migrate(db: Db, dialect: Dialect): Promise<void> {
  const provider = { getMigrations: async () => migrationsOf(dialect) };
  const migrator = new Migrator({ db, provider });
  const { error } = await migrator.migrateToLatest();
  const said = error instanceof Error ? error.message : '';
  const unknown = /previously executed migration (\S+) is missing/.exec(said)?.[1];
  if (unknown !== undefined && unknown < FIRST)
    throw new LedgerError('LEDGER_TOO_OLD', TOO_OLD, { cause: error });
  if (unknown !== undefined) throw new LedgerError('LEDGER_TOO_NEW', TOO_NEW, { cause: error });
  // SQLite has no error code for this.
  if (said.endsWith('already exists')) {
    const message = `the database belongs to another program: ${said} (choose another DATA_DIR or DATABASE_URL)`;
    throw new LedgerError('LEDGER_CORRUPT', message, { cause: error });
  }
  if (error) throw error;
}
