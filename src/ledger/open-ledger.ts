import { CamelCasePlugin, Kysely } from 'kysely';
import * as backfills from './backfills.ts';
import * as catchUps from './catch-ups.ts';
import * as channels from './channels.ts';
import * as claims from './claims.ts';
import { createDamage } from './damage.ts';
import type { Dialect } from './dialect.ts';
import { type Circumstances, toLedgerError } from './ledger-error.ts';
import { migrate } from './migrate.ts';
import * as openCreates from './open-creates.ts';
import { recordMissed } from './record-missed.ts';
import { recordShare, type ShareToRecord } from './record-share.ts';
import { recordTogether } from './record-together.ts';
import * as records from './records.ts';
import * as reports from './reports.ts';
import * as runs from './runs.ts';
import type { Tables } from './schema.ts';
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
  if (dialect.exclusive) {
    await guarded(() => claims.endLeases(db, now), { isStart: true });
    await guarded(() => catchUps.endCatchUps(db), { isStart: true });
    await guarded(() => backfills.endReadings(db, now), { isStart: true });
  }
  const record = dialect.recordsTogether
    ? recordTogether(db)
    : (input: ShareToRecord) => recordShare(db, input);
  const damage = createDamage();
  const calls = {
    ...bindAll(db, channels),
    ...bindAll(db, {
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
    ...bindAll(db, {
      claimCatchUp: catchUps.claimCatchUp,
      renewCatchUp: catchUps.renewCatchUp,
      endCatchUp: catchUps.endCatchUp,
      recordMissed,
    }),
    ...bindAll(db, openCreates),
    ...bindAll(db, records),
    ...bindAll(db, reports),
    ...bindAll(db, runs),
    ...bindAll(db, shares),
    ...bindAll(db, steps),
    ...bindAll(db, {
      countActive: claims.countActive,
      nextDue: claims.nextDue,
      bringForward: claims.bringForward,
      renewLeases: claims.renewLeases,
      releaseTransfer: claims.releaseTransfer,
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
    ...bindAll(db, waitingForKey),
    recordShare: (input: ShareToRecord) => guarded(() => record(input)),
    claimTransfer: (request: claims.ClaimRequest) =>
      guarded(() => claims.claimTransfer(db, dialect, request)),
    claimShareToTell: (request: tellings.ShareToTell) =>
      guarded(() => tellings.claimShareToTell(db, dialect, request)),
    claimReportToTell: (request: tellings.ToTell) =>
      guarded(() => tellings.claimReportToTell(db, dialect, request)),
  };
  return {
    ...damage.watched(calls),
    /** Whether the database can be read and written, and no call has met damage. */
    check: () =>
      guarded(async () => {
        damage.throwIfMet();
        await runs.tryWriting(db);
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
>(db: Kysely<Tables>, functions: T): { [K in keyof T]: Bound<T[K]> } {
  const bound = Object.entries(functions).map(([name, run]) => [
    name,
    (...rest: never[]) => guarded(() => run(db, ...rest)),
  ]);
  return Object.fromEntries(bound);
}

async function guarded<T>(run: () => Promise<T>, circumstances?: Circumstances): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toLedgerError(error, circumstances);
  }
}
