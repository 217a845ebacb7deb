import { CamelCasePlugin, Kysely } from 'kysely';
import * as backfills from './backfills.ts';
import * as catchUps from './catch-ups.ts';
import * as channels from './channels.ts';
import * as claims from './claim-transfers.ts';
import { createDamage } from './damage.ts';
import type { Dialect } from './dialect.ts';
import * as lease from './lease.ts';
import { type Circumstances, toLedgerError } from './ledger-error.ts';
import { migrate } from './migrate.ts';
import { recordMissed } from './record-missed.ts';
import { recordShare } from './record-share.ts';
import * as records from './records.ts';
import * as reports from './reports.ts';
import * as runs from './runs.ts';
import type { Tables } from './schema.ts';
import { type RunCall, shareCommits } from './shared-commits.ts';
import * as shares from './shares.ts';
import * as steps from './steps.ts';
import * as tellings from './tellings.ts';
import * as waitingForKey from './waiting-for-key.ts';

/**
 * Opens the ledger: migrations run, and, where no other process can hold claims, those left by a
 * crash ended, but for those on messages in Slack. Every method of it rejects with LedgerError alone.
 */
export async function openLedger(dialect: Dialect, now: number) {
  const db = new Kysely<Tables>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  await guarded(() => migrate(db, dialect), { isStart: true });
  if (dialect.exclusive) await guarded(() => endClaims(db, now), { isStart: true });
  const run = dialect.sharesCommits ? shareCommits(db) : runAlone(db);
  const damage = createDamage();
  const calls = {
    ...bindAll(run, channels),
    ...bindAll(run, {
      beginBackfill: backfills.beginBackfill,
      claimReading: backfills.claimReading,
      renewReadings: backfills.renewReadings,
      markReadTo: backfills.markReadTo,
      releaseReading: backfills.releaseReading,
      postponeReading: backfills.postponeReading,
      failReading: backfills.failReading,
      fileBackfill: backfills.fileBackfill,
      countParkedPast: backfills.countParkedPast,
      findConfirmed: backfills.findConfirmed,
    }),
    ...bindAll(run, {
      claimCatchUp: catchUps.claimCatchUp,
      renewCatchUp: catchUps.renewCatchUp,
      endCatchUp: catchUps.endCatchUp,
      recordMissed,
      recordShare,
    }),
    ...bindAll(run, {
      renewLeases: lease.renewLeases,
      release: lease.release,
      sweepLeases: lease.sweepLeases,
      bringForward: lease.bringForward,
    }),
    ...bindAll(run, records),
    ...bindAll(run, reports),
    ...bindAll(run, runs),
    ...bindAll(run, shares),
    ...bindAll(run, steps),
    ...bindAll(run, {
      countActive: claims.countActive,
      nextFiling: claims.nextFiling,
      nextLook: claims.nextLook,
      nextTelling: tellings.nextTelling,
      beginReply: tellings.beginReply,
      cancelReply: tellings.cancelReply,
      recordReply: tellings.recordReply,
      beginReaction: tellings.beginReaction,
      recordReaction: tellings.recordReaction,
      finishTelling: tellings.finishTelling,
      shareChanged: tellings.shareChanged,
      reportChanged: tellings.reportChanged,
    }),
    ...bindAll(run, waitingForKey),
    claimFiling: (request: Parameters<typeof claims.claimFiling>[2]) =>
      guarded(() => run((trx) => claims.claimFiling(trx, dialect, request))),
    claimLook: (request: Parameters<typeof claims.claimLook>[2]) =>
      guarded(() => run((trx) => claims.claimLook(trx, dialect, request))),
    claimShareToTell: (request: tellings.ShareToTell) =>
      guarded(() => run((trx) => tellings.claimShareToTell(trx, dialect, request))),
    claimReportToTell: (request: tellings.ToTell) =>
      guarded(() => run((trx) => tellings.claimReportToTell(trx, dialect, request))),
  };
  return {
    ...damage.watched(calls),
    /** Whether the database can be read and written, and no call has met damage. */
    check: () =>
      guarded(async () => {
        damage.throwIfMet();
        await run(runs.tryWriting);
      }),
    close: () => guarded(() => db.destroy()),
  };
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>;

type Bound<F> = F extends (db: Kysely<Tables>, ...rest: infer A) => Promise<infer R>
  ? (...rest: A) => Promise<R>
  : never;

// Each statement takes the database first; the ledger's methods do not, and turn errors of drivers into LedgerError.
function bindAll<
  T extends Record<string, (db: Kysely<Tables>, ...rest: never[]) => Promise<unknown>>,
>(run: RunCall, functions: T): { [K in keyof T]: Bound<T[K]> } {
  const bound = Object.entries(functions).map(([name, call]) => [
    name,
    (...rest: never[]) => guarded(() => run((db) => call(db, ...rest))),
  ]);
  return Object.fromEntries(bound);
}

function runAlone(db: Kysely<Tables>): RunCall {
  return (call) => call(db);
}

async function endClaims(db: Kysely<Tables>, now: number): Promise<void> {
  await lease.sweepLeases(db, 'transfers', { now, all: true });
  await catchUps.endCatchUps(db);
  await backfills.endReadings(db, now);
}

async function guarded<T>(run: () => Promise<T>, circumstances?: Circumstances): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toLedgerError(error, circumstances);
  }
}
