import { CamelCasePlugin, Kysely, type Migration, Migrator } from 'kysely';
import { LedgerError, toLedgerError } from './ledger-error.ts';
import { firstMigrations } from './migrations/first-migrations.ts';
import { laterMigrations } from './migrations/later-migrations.ts';
import type { Db, Dialect, Tables } from './schema.ts';
import { inBatches, type RunCall, shareCommits } from './shared-commits.ts';
import * as statements from './statements.ts';

/**
 * Opens the ledger: runs the migrations and, where no other process can hold claims, ends those
 * left by a crash, except on messages in Slack. All its methods reject with LedgerError only.
 */
export async function openLedger(dialect: Dialect, now: number) {
  const db = new Kysely<Tables>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  try {
    await migrate(db, dialect);
    if (dialect.embedded) await endClaims(db, now);
  } catch (error) {
    throw toLedgerError(error, { setting: dialect.embedded ? 'DATA_DIR' : 'DATABASE_URL' });
  }
  const direct: RunCall = (call) => call(db);
  const { onDisk, soon } = dialect.embedded
    ? shareCommits(db, dialect.awaitDisk)
    : { onDisk: direct, soon: direct };
  // Only a call that reads a damaged page notices it, so that the check has to remember it.
  let damage: LedgerError | null = null;
  const guard = <Rest extends unknown[], T>(call: (...rest: Rest) => Promise<T>) => {
    return async (...rest: Rest): Promise<T> => {
      try {
        return await call(...rest);
      } catch (cause) {
        const error = toLedgerError(cause);
        if (error.code === 'LEDGER_CORRUPT') damage = error;
        throw error;
      }
    };
  };
  const bind = <Rest extends unknown[], T>(
    name: string,
    call: (db: Db, ...rest: Rest) => Promise<T>,
  ) => {
    const run = COME_ABOUT_AGAIN.has(name) ? soon : onDisk;
    return guard((...rest: Rest) => run((trx) => call(trx, ...rest)));
  };
  return {
    /** Whether only this process uses it. */
    embedded: dialect.embedded,
    ...bindAll(statements, bind),
    // Bound by itself: bindAll widens its row to those of all kinds.
    claimRow: bind('claimRow', statements.claimRow),
    nextDue: guard(inBatches(soon, statements.nextDues)),
    findLink: guard(inBatches(soon, statements.findLinks)),
    markFiled: guard(inBatches(onDisk, statements.markAllFiled)),
    recordShare: guard(inBatches(onDisk, statements.recordShares)),
    pauseLink: guard(inBatches(onDisk, statements.pauseLinks)),
    /**
     * Rejects when the database cannot be read or written, and until a restart once a call has met
     * damage.
     */
    check: guard(async () => {
      if (damage) throw damage;
      await onDisk(statements.tryWriting);
    }),
    close: guard(() => db.destroy()),
  };
}

/**
 * Calls that do not wait for the disk. One only reads. A power failure may undo the others: then a
 * lease is claimed anew, an upload repeated, and a message found again by the intent that is on disk.
 * A reaction is only replaced after a change of its files, which takes its intent to the disk, too.
 */
const COME_ABOUT_AGAIN: ReadonlySet<string> = new Set<keyof typeof statements>([
  'nextFiling',
  'claimRow',
  'renewLeases',
  'release',
  'markUploaded',
  'beginReaction',
  'finishNotification',
]);

export type Ledger = Awaited<ReturnType<typeof openLedger>>;

type Statement = (db: Db, ...rest: never[]) => Promise<unknown>;

/** A module's exported statements, without their first parameter, the database. */
type Calls<Module> = {
  [Name in keyof Module as Module[Name] extends Statement ? Name : never]: Module[Name] extends (
    db: Db,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

type BareCall = (db: Db, ...rest: unknown[]) => Promise<unknown>;

function bindAll<Module extends object>(
  module: Module,
  bind: (name: string, call: BareCall) => (...rest: unknown[]) => Promise<unknown>,
): Calls<Module> {
  const bound = Object.entries(module).flatMap(([name, call]: [string, unknown]) =>
    typeof call === 'function' ? [[name, bind(name, async (...rest) => call(...rest))]] : [],
  );
  return Object.fromEntries(bound);
}

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

async function endClaims(db: Db, now: number): Promise<void> {
  for (const table of ['transfers', 'readings', 'deletions', 'watches'] as const)
    await statements.sweepLeases(db, table, { now, all: true });
}
