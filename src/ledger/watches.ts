import { sql } from 'kysely';
import {
  type AddedFiles,
  ANNOUNCE_EVERY_MS,
  type ChannelRef,
  channelOf,
  queueOf,
} from '../core/index.ts';
import { isChannel } from './channels.ts';
import { dropJobs, endJob, enqueue, type JobClaim } from './jobs.ts';
import { createReport, dropReport } from './reports.ts';
import { anyRow, atomically, locked } from './run-statements.ts';
import { theRun } from './runs.ts';
import type { Db } from './schema.ts';

/*
 * Somebody may turn on that a channel is notified of files that others add to its folder. A worker then
 * looks into the folder now and then; one transaction records what it saw and makes the message due, so
 * that each file is announced once.
 */

/** Returns the added files of a report; null for a report of another kind. */
export function readAdded({ added }: { added: string | null }): AddedFiles | null {
  return added === null ? null : JSON.parse(added);
}

/** Turns a channel's watch on or off. Resolves with whether that is a change. */
export function setWatched(
  db: Db,
  { team, channel }: ChannelRef,
  { on, now }: { on: boolean; now: number },
): Promise<boolean> {
  if (!on) return endWatch(db, { team, channel });
  return atomically(db, async (trx) => {
    const watch = trx.insertInto('channels').values({ team, channel, announces: 1 });
    const begun = watch.onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ announces: 1 })
        .where('channels.announces', '=', 0),
    );
    if (!(await anyRow(begun.returning('team')))) return false;
    await enqueue(trx, { kind: 'watch', key: queueOf({ team, channel }), dueAt: now });
    return true;
  });
}

/**
 * Ends a channel's watch, and its message, which is no longer posted. Resolves with whether there
 * was one.
 */
export function endWatch(db: Db, ref: ChannelRef): Promise<boolean> {
  return atomically(db, async (trx) => {
    const watched = trx.selectFrom('channels').select('addedReportId').where(isChannel(ref));
    const on = watched.where('announces', '=', 1).modifyEnd(locked(trx, 'channels'));
    const last = await on.executeTakeFirst();
    if (!last) return false;
    const off = { announces: 0, addedSeen: null, addedReportId: null };
    await trx.updateTable('channels').set(off).where(isChannel(ref)).execute();
    await dropJobs(trx, 'watch', sql`${queueOf(ref)}`);
    await dropReport(trx, last.addedReportId);
    return true;
  });
}

export interface Looked {
  /** The number of the folder's last write that the look took in: see mirror.ts. */
  seen: number;
  /** Null for nothing. */
  added: AddedFiles | null;
  now: number;
}

/**
 * Records what a look saw, and makes the message about added files due, in place of the watch's last
 * one. Ends the claim. Resolves with false, with nothing done, when the claim is lost.
 */
export function recordLook(
  db: Db,
  claim: JobClaim,
  { seen, added, now }: Looked,
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const job = await endJob(trx, claim, { dueAt: now + ANNOUNCE_EVERY_MS });
    if (!job) return false;
    const { team, channel } = channelOf(job.key);
    const own = trx.updateTable('channels').where(isChannel({ team, channel }));
    const looked = own.set({ addedSeen: seen }).returning('addedReportId');
    const { addedReportId: last } = await looked.executeTakeFirstOrThrow();
    if (!added) return true;
    const report = { team, channel, kind: 'added', added: JSON.stringify(added) } as const;
    const addedReportId = await createReport(trx, { ...report, dueAt: now, now });
    await own.set({ addedReportId }).execute();
    await dropReport(trx, last);
    return true;
  });
}

/**
 * Takes the right to send one request for a watch: all instances together get one every `everyMs`,
 * and none while transfers wait to be claimed. Resolves with false when there is none now.
 */
export function takeAnnounceRequest(
  db: Db,
  { now, everyMs }: { now: number; everyMs: number },
): Promise<boolean> {
  const waiting = db
    .selectFrom('jobs')
    .select('key')
    .where('kind', 'in', ['upload', 'folder'])
    .where('dueAt', '<=', now);
  const turn = theRun(db)
    .set({ announceRequestAt: now })
    .where((eb) =>
      eb.or([eb('announceRequestAt', 'is', null), eb('announceRequestAt', '<=', now - everyMs)]),
    )
    .where((eb) => eb.not(eb.exists(waiting.limit(1))));
  return anyRow(turn.returning('id'));
}
