import type { ChannelRef, Destination } from '../core/index.ts';
import { findLink, isChannel } from './channels.ts';
import { endJob, enqueue, type JobClaim } from './jobs.ts';
import { enqueueReport, makeReportDue, noteReportChanged } from './messages.ts';
import { atomically } from './run-statements.ts';
import type { Db } from './schema.ts';
import { countParked, parked, sendUnderReport } from './waiting-files.ts';

/*
 * A backfill reads what a channel held before it was linked, the newest page first, under one report,
 * and records what it finds as parked; when all is read, it sends the parked files on their way, oldest
 * first. Only one instance reads at a time. The report says how far it is.
 */

/** How long a report is held back, in milliseconds: it may be complete by then. */
const QUICK_MS = 1_000;

/**
 * Begins a backfill, unless one is already reading the channel's history. Its report outlives the
 * process: the next process continues.
 */
export function beginBackfill(
  db: Db,
  { team, channel }: ChannelRef,
  { startedBy, now }: { startedBy: string; now: number },
): Promise<void> {
  return atomically(db, async (trx) => {
    const report = trx
      .insertInto('reports')
      .values({ team, channel, kind: 'backfill', startedBy, startedAt: now, reading: 1 })
      .onConflict((conflict) => conflict.doNothing());
    const begun = await report.returning('id').executeTakeFirst();
    if (!begun) return;
    await enqueueReport(trx, begun.id, now + QUICK_MS);
    await enqueue(trx, { kind: 'backfill', key: String(begun.id), dueAt: now });
  });
}

/**
 * Returns whether a channel's past is being filed, or was filed completely since it was linked. It
 * is incomplete where a backfill was stopped or somebody skipped files.
 */
export async function isBackfilled(db: Db, ref: ChannelRef): Promise<boolean> {
  const last = await db
    .selectFrom('reports')
    .select(['stopped', 'startedAt', 'reading'])
    .where(isChannel(ref))
    .where('reading', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last || last.stopped) return false;
  if (last.reading) return true;
  const link = await findLink(db, ref);
  const isSinceLinked = last.startedAt >= (link?.linkedAt ?? 0);
  return isSinceLinked && (await countParked(db, ref, 'past')) === 0;
}

/**
 * Ends the reading and sends the channel's parked past on its way, oldest first, also what an
 * earlier backfill was stopped at. Resolves with false, with nothing done, when the claim is lost.
 */
export function fileBackfill(
  db: Db,
  claim: JobClaim,
  { destination, now }: { destination: Destination; now: number },
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const job = await endJob(trx, claim, { dueAt: null });
    if (!job) return false;
    const reportId = Number(job.key);
    const read = trx.updateTable('reports').set({ reading: 0, problem: null });
    const { team, channel } = await read
      .where('id', '=', reportId)
      .returning(['team', 'channel'])
      .executeTakeFirstOrThrow();
    const ref = { team, channel };
    await sendUnderReport(trx, parked(ref, 'past'), { ...ref, reportId, destination, now });
    return true;
  });
}

/**
 * Records that the ledger has what came after `readTo`. Resolves with false when the claim is lost:
 * the reading was stopped, or another worker has it.
 */
export function markReadTo(db: Db, { token }: JobClaim, readTo: string): Promise<boolean> {
  return atomically(db, async (trx) => {
    const progress = trx.updateTable('jobs').set({ attempts: 1 }).where('leaseToken', '=', token);
    const job = await progress.returning('key').executeTakeFirst();
    if (!job) return false;
    const read = trx.updateTable('reports').set({ readTo, problem: null });
    await read.where('id', '=', Number(job.key)).execute();
    return true;
  });
}

interface FailedBackfill {
  /** Slack's error code for its refusal, else an ErrorCode; null if the channel has no folder. */
  problem: string | null;
  /** When it is tried again; null for never: it then ends, and its files stay parked. */
  dueAt: number | null;
  now: number;
}

/** Ends a claim with a failure. */
export function failBackfill(
  db: Db,
  claim: JobClaim,
  { problem, dueAt, now }: FailedBackfill,
): Promise<void> {
  return atomically(db, async (trx) => {
    const job = await endJob(trx, claim, { dueAt, unfinished: true });
    if (!job) return;
    const id = Number(job.key);
    const ended = dueAt === null && { reading: 0, stopped: 1 };
    await trx
      .updateTable('reports')
      .set({ problem, ...ended })
      .where('id', '=', id)
      .execute();
    return ended ? makeReportDue(trx, id, now) : noteReportChanged(trx, id, now);
  });
}
