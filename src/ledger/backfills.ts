import type { ChannelRef, Destination } from '../transfers/index.ts';
import { type Claim, heldBy } from './lease.ts';
import { reportDue } from './notifications.ts';
import { createReport } from './reports.ts';
import { anyRow, atomically } from './rows.ts';
import type { Db } from './schema.ts';
import { countParked, parked, sendUnderReport } from './waiting-files.ts';

/*
 * A backfill files what a channel held before it was linked, under one report. It reads the
 * history, newest page first, and records what it finds as parked; when all is read, it sends the
 * parked files on their way, oldest first.
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
    const reportId = await createReport(trx, { team, channel, kind: 'backfill', startedBy, now });
    const reading = trx
      .insertInto('readings')
      .values({ team, channel, reportId, dueAt: now })
      .onConflict((conflict) => conflict.doNothing());
    if (await anyRow(reading.returning('id'))) await reportDue(trx, reportId, now + QUICK_MS);
    else await trx.deleteFrom('reports').where('id', '=', reportId).execute();
  });
}

/**
 * Returns whether a channel's past is being filed, or was filed completely since it was linked. It
 * is incomplete where a backfill was stopped or somebody skipped files.
 */
export async function isBackfilled(db: Db, { team, channel }: ChannelRef): Promise<boolean> {
  const last = await db
    .selectFrom('reports')
    .innerJoin('readings', 'readings.reportId', 'reports.id')
    .leftJoin('channels', (join) =>
      join
        .onRef('channels.team', '=', 'reports.team')
        .onRef('channels.channel', '=', 'reports.channel'),
    )
    .select(['stopped', 'startedAt', 'linkedAt', 'readings.dueAt as readingDueAt'])
    .where('reports.team', '=', team)
    .where('reports.channel', '=', channel)
    .orderBy('reports.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last || last.stopped) return false;
  if (last.readingDueAt !== null) return true;
  const isSinceLinked = last.startedAt >= (last.linkedAt ?? 0);
  return isSinceLinked && (await countParked(db, { team, channel }, 'past')) === 0;
}

/**
 * Ends the reading and sends the channel's parked past on its way, oldest first, also what an
 * earlier backfill was stopped at. Resolves with false, with nothing done, when the claim is lost.
 */
export function fileBackfill(
  db: Db,
  claim: Claim,
  { destination, now }: { destination: Destination; now: number },
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const read = await trx
      .updateTable('readings')
      .where(heldBy(claim))
      .set({ dueAt: null, leaseToken: null, problem: null })
      .returning(['team', 'channel', 'reportId'])
      .executeTakeFirst();
    if (!read?.reportId) return false;
    const { reportId, ...ref } = read;
    await sendUnderReport(trx, parked(ref, 'past'), { ...ref, reportId, destination, now });
    return true;
  });
}
