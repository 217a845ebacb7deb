import { type RawBuilder, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { type Destination, queueOf, type ShareOrigin } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import { locked } from './dialect.ts';
import { changeTransfers, reportDue } from './notifications.ts';
import { createReport } from './reports.ts';
import { anyRow, countChanged, countOf } from './rows.ts';
import type { Db } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { LEFT, TRIED_AGAIN } from './steps.ts';
import { NOT_SENT } from './transfer.ts';

/*
 * Files that wait for more than their turn: those parked until their channel has a folder or somebody
 * asks for them, those on their way to a folder that the channel was linked to before, and those that
 * wait for a key that the service accepts. What goes to a folder of before goes there still, unless
 * somebody sends it elsewhere or leaves it in Slack; what is in somebody's hands, or may be in the
 * folder, stays on its way.
 */

/**
 * Files of a channel that are parked; of its past: those that a backfill found, and was stopped at or
 * has not sent on their way yet.
 */
export function countParked(db: Db, ref: ChannelRef, part?: 'past'): Promise<number> {
  return countOf(db.selectFrom('transfers').where(parked(ref, part)));
}

/** Whether this is the first transfer of a person that waits for its channel to have a folder. */
export async function isFirstParked(
  db: Db,
  ref: ChannelRef,
  { transferId, userId }: { transferId: number; userId: string },
): Promise<boolean> {
  const before = db
    .selectFrom('transfers')
    .select('id')
    .where(parked(ref))
    // What has a folder was left in Slack by somebody.
    .where('projectId', 'is', null)
    .where('userId', '=', userId)
    .where('id', '<', transferId)
    .limit(1);
  return !(await anyRow(before));
}

interface SendParked {
  destination: Destination;
  now: number;
}

/**
 * More files than these go under one report: with a line and reactions of its own each would keep what is
 * shared anywhere from being told of, for hours.
 */
const MOST_WITH_LINES = 20;

/**
 * Sends a channel's parked files on their way; returns how many. Many of them go as the channel's past does,
 * under a report that `startedBy`, or else an admin, may stop.
 */
export function fileParked(
  db: Db,
  { team, channel }: ChannelRef,
  { startedBy = null, ...to }: SendParked & { startedBy?: string | null },
): Promise<number> {
  const ref = { team, channel };
  return atomically(db, async (trx) => {
    // Of two who press at once the second finds none.
    const { length: count } = await trx
      .selectFrom('transfers')
      .select('id')
      .where(parked(ref))
      .orderBy('id')
      .modifyEnd(locked(trx, 'transfers'))
      .execute();
    if (count <= MOST_WITH_LINES) return sendOn(trx, parked(ref), to);
    const report = { ...ref, kind: 'backfill', startedBy, now: to.now } as const;
    const reportId = await createReport(trx, report);
    await sendUnderReport(trx, parked(ref), { ...ref, ...to, reportId });
    return count;
  });
}

/** Sends on its way what of one share was parked for want of a destination. */
export function fileParkedShare(db: Db, shareId: number, to: SendParked): Promise<number> {
  const forWant = sql<boolean>`(share_id = ${shareId} and state = 'parked' and project_id is null)`;
  return sendOn(db, forWant, to);
}

function sendOn(
  db: Db,
  which: RawBuilder<boolean>,
  { destination: { projectId, folderId }, now }: SendParked,
): Promise<number> {
  const changes = { projectId, folderId, state: 'recorded', dueAt: now } as const;
  return changeTransfers(db, now, (trx) =>
    trx.updateTable('transfers').set(changes).where(which).returning('shareId'),
  );
}

/**
 * Sends parked files of a channel on their way behind all fresh ones, oldest first, under a report. Their
 * messages are left alone, but for those that show already where their files are.
 */
export async function sendUnderReport(
  trx: Db,
  which: RawBuilder<boolean>,
  { destination, reportId, now, ...ref }: SendParked & ChannelRef & { reportId: number },
): Promise<void> {
  const untold = sql<ShareOrigin>`case when reaction is null and reaction_begun is null
    and reply_ts is null then 'backfill' else origin end`;
  await trx
    .updateTable('shares')
    .set({ reportId, origin: untold })
    .where('id', 'in', trx.selectFrom('transfers').select('shareId').where(which))
    .execute();
  const rank = sql<number>`row_number() over (order by shares.ts, position)`;
  const ranked = trx
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['transfers.id', rank.as('rank')])
    .where(which)
    .as('ranked');
  const { projectId, folderId } = destination;
  const sent = { projectId, folderId, state: 'recorded', queue: queueOf(ref, 'past') } as const;
  await trx
    .updateTable('transfers')
    .from(ranked)
    // Due since long ago, in this order: who claims what has been due longest takes the oldest.
    .set((eb) => ({ ...sent, dueAt: eb.ref('ranked.rank') }))
    .whereRef('transfers.id', '=', 'ranked.id')
    // Not what was deleted in Slack meanwhile.
    .where('transfers.state', '=', 'parked')
    .execute();
  await reportDue(trx, reportId, now);
}

/** How many files of a channel are on their way to a folder. */
export function countWaiting(db: Db, ref: ChannelRef, folder: Destination): Promise<number> {
  const onTheirWay = db.selectFrom('transfers').where(ofFolder(ref, folder));
  return countOf(onTheirWay.where('state', 'in', ['recorded', 'uploaded', 'creating']));
}

/**
 * Sends to another folder, at once, what waits for this one, and what nobody can look for there any more;
 * returns how many files.
 */
export function moveWaiting(
  db: Db,
  ref: ChannelRef,
  { from, to, now }: { from: Destination; to: Destination; now: number },
): Promise<number> {
  const { projectId, folderId } = to;
  const changes = { ...NOT_SENT, ...TRIED_AGAIN, pausedAt: null, dueAt: now };
  return changeTransfers(db, now, (trx) =>
    ofWaiting(trx, ref, from)
      .set({ ...changes, projectId, folderId, state: 'recorded' })
      // What is due was refused just now: it is looked for first, as it may be in the folder all the same.
      .where(sql<boolean>`(${NOT_BEGUN} or (${SHUT} and due_at > ${now}))`)
      .returning('shareId'),
  );
}

/** Leaves in Slack what waits for this folder; returns how many files. */
export function leaveWaiting(
  db: Db,
  ref: ChannelRef,
  { from, now }: { from: Destination; now: number },
): Promise<number> {
  return changeTransfers(db, now, (trx) =>
    ofWaiting(trx, ref, from)
      .set(LEFT)
      .where(sql<boolean>`(${NOT_BEGUN} or ${GONE})`)
      .returning('shareId'),
  );
}

const NOT_BEGUN = sql`state in ('recorded', 'uploaded')`;
/** What its folder may have held is gone with it. */
const GONE = sql`(state = 'creating' and problem = 'DESTINATION_GONE')`;
/** Nobody can look into its folder any more. */
const SHUT = sql`(state = 'creating' and problem in ('DESTINATION_GONE', 'SERVICE_FORBIDDEN'))`;

/** Refusals that another folder may mend; some accounts give no reason. */
const FOLDER_REFUSALS: ErrorCode[] = ['DESTINATION_GONE', 'SERVICE_FORBIDDEN', 'SERVICE_REFUSED'];

/** The shares of a channel with files that were refused because of this folder, but what somebody saved there. */
export function sharesRefusedFor(
  db: Db,
  { team, channel }: ChannelRef,
  { projectId, folderId }: Destination,
): Promise<{ id: number }[]> {
  return db
    .selectFrom('shares')
    .innerJoin('transfers', 'transfers.shareId', 'shares.id')
    .select('shareId as id')
    .distinct()
    .where((eb) => eb.and({ team, channel, savedTo: '', projectId, folderId, state: 'refused' }))
    .where('problem', 'in', FOLDER_REFUSALS)
    .execute();
}

/** A transfer that waits for the key. */
export interface WaitingForKey {
  destination: Destination;
  /** Who linked its channel; null when it goes to the default folder. */
  linkedBy: string | null;
}

/** The first transfer that waits for the key, of a channel that somebody linked if there is one. */
export async function firstWaitingForKey(db: Db): Promise<WaitingForKey | null> {
  const row = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .leftJoin('channels', (join) =>
      join
        .onRef('channels.team', '=', 'shares.team')
        .onRef('channels.channel', '=', 'shares.channel'),
    )
    .select(['transfers.projectId', 'transfers.folderId', 'channels.linkedBy'])
    .where('transfers.dueAt', 'is not', null)
    .where('transfers.problem', '=', 'SERVICE_UNAUTHORIZED')
    .orderBy((eb) => eb.case().when('channels.linkedBy', 'is', null).then(1).else(0).end())
    .orderBy('transfers.id')
    .limit(1)
    .executeTakeFirst();
  if (!row || row.projectId === null || row.folderId === null) return null;
  const { projectId, folderId, linkedBy } = row;
  return { destination: { projectId, folderId }, linkedBy };
}

/** Makes all that waits for the key due at once; returns how many there were. */
export function hurryWaitingForKey(db: Db, now: number): Promise<number> {
  const waiting = db
    .updateTable('transfers')
    .set({ dueAt: now })
    .where((eb) => eb.and({ leaseToken: null, problem: 'SERVICE_UNAUTHORIZED' }));
  return countChanged(waiting.where('dueAt', '>', now));
}

/** Files of a channel that are parked. */
export function parked(ref: ChannelRef, part?: 'past') {
  return sql<boolean>`(state = 'parked' and queue = ${queueOf(ref, part)})`;
}

/** What of a channel is on its way to this folder. */
export function ofFolder(ref: ChannelRef, { projectId, folderId }: Destination) {
  return sql<boolean>`(due_at is not null and queue in (${queueOf(ref)}, ${queueOf(ref, 'past')})
    and project_id = ${projectId} and folder_id = ${folderId})`;
}

/** What of a channel waits for this folder, and nobody holds. */
export function ofWaiting(trx: Db, ref: ChannelRef, folder: Destination) {
  return trx.updateTable('transfers').where(ofFolder(ref, folder)).where('leaseToken', 'is', null);
}
