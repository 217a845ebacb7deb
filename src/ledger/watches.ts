import { sql } from 'kysely';
import { type AddedFiles, ANNOUNCE_EVERY_MS, type ChannelRef } from '../transfers/index.ts';
import { isChannel } from './channels.ts';
import { type Claim, dropJobs, endJob, enqueue } from './jobs.ts';
import { createReport } from './reports.ts';
import { anyRow, atomically } from './run-statements.ts';
import { theRun } from './runs.ts';
import type { Db, WatchRow } from './schema.ts';

/*
 * A channel has a row here (a watch) if somebody turned on notifications of files that others add
 * to its folder. A worker looks into the folder now and then; one transaction records what it saw
 * and makes the message due, so that each file is announced once.
 */

/** Returns the added files of a report; null for a report of another kind. */
export function readAdded({ added }: { added: string | null }): AddedFiles | null {
  return added === null ? null : JSON.parse(added);
}

/** Returns whether a channel is notified of files that others add to its folder. */
export function isWatched(db: Db, ref: ChannelRef): Promise<boolean> {
  return anyRow(db.selectFrom('watches').select('id').where(isChannel(ref)));
}

/** Turns a channel's watch on or off. Resolves with whether that is a change. */
export function setWatched(
  db: Db,
  { team, channel }: ChannelRef,
  { on, now }: { on: boolean; now: number },
): Promise<boolean> {
  if (!on) return endWatch(db, { team, channel });
  const watch = db.insertInto('watches').values({ team, channel });
  const begun = watch.onConflict((conflict) => conflict.doNothing()).returning('id');
  return atomically(db, async (trx) => {
    const [row] = (await trx.executeQuery(begun)).rows;
    if (row) await enqueue(trx, { kind: 'watch', key: String(row.id), dueAt: now });
    return row !== undefined;
  });
}

/**
 * Ends a channel's watch, and its message, which is no longer posted. Resolves with whether there
 * was one.
 */
export function endWatch(db: Db, ref: ChannelRef): Promise<boolean> {
  return atomically(db, async (trx) => {
    const watch = trx.deleteFrom('watches').where(isChannel(ref)).returning(['id', 'reportId']);
    const ended = await watch.executeTakeFirst();
    if (!ended) return false;
    await dropJobs(trx, 'watch', sql`${String(ended.id)}`);
    await dropMessage(trx, ended);
    return true;
  });
}

async function dropMessage(trx: Db, { reportId }: Pick<WatchRow, 'reportId'>): Promise<void> {
  if (reportId === null) return;
  await dropJobs(trx, 'report', sql`${String(reportId)}`);
  await trx.deleteFrom('reports').where('id', '=', reportId).execute();
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
export function recordLook(db: Db, claim: Claim, { seen, added, now }: Looked): Promise<boolean> {
  return atomically(db, async (trx) => {
    if (!(await endJob(trx, claim, { dueAt: now + ANNOUNCE_EVERY_MS }))) return false;
    const row = await trx
      .updateTable('watches')
      .set({ seen })
      .where('id', '=', claim.id)
      .returning(['team', 'channel', 'reportId'])
      .executeTakeFirst();
    if (!row || !added) return row !== undefined;
    const { team, channel } = row;
    const report = { team, channel, kind: 'added', added: JSON.stringify(added) } as const;
    const reportId = await createReport(trx, { ...report, dueAt: now, now });
    await trx.updateTable('watches').set({ reportId }).where('id', '=', claim.id).execute();
    await dropMessage(trx, row);
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
