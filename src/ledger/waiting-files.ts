import { type RawBuilder, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  type ChannelRef,
  type Destination,
  FOLDER_REASONS,
  queueOf,
  SHUT,
  type ShareOrigin,
} from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { IS_SHOWN, makeReportDue, noteSharesChanged, updateTransfers } from './messages.ts';
import { createReport } from './reports.ts';
import { anyRow, atomically, countOf, locked } from './run-statements.ts';
import type { Db } from './schema.ts';
import { LEFT_IN_SLACK, TRIED_AGAIN } from './steps.ts';
import {
  AGED,
  dueAgain,
  FILING,
  FOLLOWS_CHANNEL,
  KEPT,
  NOT_SENT,
  ON_THEIR_WAY,
  reschedule,
  UNCLAIMED,
  yieldToSaved,
} from './transfer.ts';

/*
 * Files that wait for more than their turn: parked until their channel has a folder or somebody
 * asks for them, or on their way to a folder that the channel was linked to before. A file bound for an earlier folder still goes there, unless
 * somebody sends it elsewhere or leaves it in Slack; one that is claimed, or may be in the folder,
 * stays on its way.
 */

/**
 * Returns how many files of a channel are parked; with `past`, only those that a backfill found and
 * has not sent on their way, or was stopped at.
 */
export function countParked(db: Db, ref: ChannelRef, part?: 'past'): Promise<number> {
  return countOf(db.selectFrom('transfers').where(parked(ref, part)));
}

/** Returns whether this is a person's first transfer that waits for the channel's folder. */
export async function isFirstParked(
  db: Db,
  ref: ChannelRef,
  { transferId, userId }: { transferId: number; userId: string },
): Promise<boolean> {
  const before = db
    .selectFrom('transfers')
    .select('id')
    .where(parked(ref))
    // One that had a folder, and was left in Slack, caused no hint.
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
 * More files than this go under one report: with a line and reactions each, they would delay the
 * notifications of all other shares for hours.
 */
const MAX_WITH_LINES = 20;

/**
 * Sends a channel's parked files on their way: all, or those parked for want of a folder since a
 * time; returns how many. More than MAX_WITH_LINES go as the channel's past does, under a report that
 * `startedBy`, or else an admin, may stop.
 */
export function fileParked(
  db: Db,
  { team, channel }: ChannelRef,
  given: SendParked & { startedBy?: string; since?: number },
): Promise<number> {
  const ref = { team, channel };
  const { startedBy = null, since, destination, now } = given;
  const late = sql`left_in_slack = 0 and recorded_at >= ${since}`;
  const which = sql<boolean>`(${parked(ref)} and ${since === undefined ? sql`true` : late})`;
  return atomically(db, async (trx) => {
    // Locked so that the second of two simultaneous requests finds none.
    const { length: count } = await trx
      .selectFrom('transfers')
      .select('id')
      .where(which)
      .orderBy('id')
      .modifyEnd(locked(trx, 'transfers'))
      .execute();
    if (count <= MAX_WITH_LINES) return sendWithLines(trx, which, { destination, now });
    const reportId = await createReport(trx, { ...ref, kind: 'backfill', startedBy, now });
    await sendUnderReport(trx, which, { ...ref, destination, now, reportId });
    return count;
  });
}

/**
 * Sends a share's parked files on their way to its channel's folder, except those saved by hand, and
 * shows them with their message, even if a backfill had found them. Returns how many.
 */
export function fileShare(
  db: Db,
  { id, team, channel }: { id: number } & ChannelRef,
  given: SendParked,
): Promise<number> {
  const which = sql<boolean>`(state = 'parked' and share_id = ${id} and ${FOLLOWS_CHANNEL})`;
  const queue = queueOf({ team, channel });
  return atomically(db, (trx) => sendWithLines(trx, which, { ...given, queue }));
}

// Each message shows its own files.
async function sendWithLines(
  trx: Db,
  which: RawBuilder<boolean>,
  { destination, now, ...moved }: SendParked & { queue?: string },
): Promise<number> {
  await noteSharesChanged(trx, await yieldToSaved(trx, which, destination), now);
  const update = trx.updateTable('transfers').set({ ...sentTo(destination), ...moved });
  return updateTransfers(trx, now, update.where(which));
}

/** The columns of a parked file that goes on its way to this folder. */
function sentTo({ projectId, folderId }: Destination) {
  return { projectId, folderId, state: 'recorded', leftInSlack: 0 } as const;
}

/**
 * Sends parked files of a channel on their way behind all new ones, oldest first, under a report.
 * Leaves their messages alone, except those that show where their files are: see IS_SHOWN.
 */
export async function sendUnderReport(
  trx: Db,
  which: RawBuilder<boolean>,
  { destination, reportId, now, ...ref }: SendParked & ChannelRef & { reportId: number },
): Promise<void> {
  const origin = sql<ShareOrigin>`case when ${IS_SHOWN} then origin else 'backfill' end`;
  await trx
    .updateTable('shares')
    .set({ reportId, origin })
    .where('id', 'in', trx.selectFrom('transfers').select('shareId').where(which))
    .execute();
  await noteSharesChanged(trx, await yieldToSaved(trx, which, destination), now);
  const sent = { ...sentTo(destination), queue: queueOf(ref, 'past') };
  const rows = await trx
    .updateTable('transfers')
    .set(sent)
    .where(which)
    // Skips files that were deleted in Slack meanwhile.
    .where('state', '=', 'parked')
    .returning('id')
    .execute();
  await reschedule(trx, rows, { now, dueAt: AGED });
  await makeReportDue(trx, reportId, now);
}

/** Returns how many files of a channel are on their way to a folder. */
export function countWaiting(db: Db, ref: ChannelRef, folder: Destination): Promise<number> {
  const onTheirWay = db.selectFrom('transfers').where(onTheWayTo(ref, folder));
  return countOf(onTheirWay.where('state', 'in', ['recorded', 'uploaded', 'creating']));
}

/**
 * Sends to another folder, due at once, files that wait for this one, and open creates whose folder
 * nobody can list any more, all of them if it `isGone`; returns how many. Among them are a message's own
 * files that somebody bound to this folder by hand, once it is gone.
 */
export function moveWaiting(
  db: Db,
  ref: ChannelRef,
  {
    from,
    to,
    isGone = false,
    now,
  }: { from: Destination; to: Destination; isGone?: boolean; now: number },
): Promise<number> {
  const { projectId, folderId } = to;
  const changes = { ...NOT_SENT, ...TRIED_AGAIN };
  return atomically(db, async (trx) => {
    const those = sql`(${onTheWayTo(ref, from)} or ${boundTo(ref, from)})`;
    const mayGo = isGone ? sql`(${FILING} or state = 'creating')` : unsentOr(SHUT);
    const which = sql<boolean>`(${those} and ${UNCLAIMED} and ${mayGo})`;
    await noteSharesChanged(trx, await yieldToSaved(trx, which, to), now);
    const queue = sql<string>`replace(queue, '/saved', '')`;
    const moved = trx.updateTable('transfers').set({ ...changes, projectId, folderId, queue });
    return updateTransfers(trx, now, moved.set({ state: 'recorded' }).where(which), dueAgain(now));
  });
}

/** Makes due the unclaimed files that wait for a folder, to start over. */
export async function resumeFiles(
  db: Db,
  ref: ChannelRef,
  { folder, now }: { folder: Destination; now: number },
): Promise<void> {
  const waiting = updateWaiting(db, ref, folder);
  await updateTransfers(db, now, waiting.set({ ...TRIED_AGAIN, heldAt: null }), dueAgain(now));
}

/** Leaves in Slack the files that wait for this folder; returns how many. */
export function parkWaiting(
  db: Db,
  ref: ChannelRef,
  { from, now }: { from: Destination; now: number },
): Promise<number> {
  // What was created in a folder that is gone is gone with it.
  const left = updateWaiting(db, ref, from).where(unsentOr(['DESTINATION_GONE']));
  return updateTransfers(db, now, left.set(LEFT_IN_SLACK));
}

// Also open creates that a hold keeps after a look at the folder. Before that look, the refusal
// of a create proves nothing: the file may be in the folder.
function unsentOr(problems: readonly ErrorCode[]): RawBuilder<boolean> {
  return sql`(${FILING} or (state = 'creating' and held_at >= creating_since
    and problem in (${sql.join(problems)})))`;
}

/** Refusals that another folder may resolve; some accounts give no reason. */
const FOLDER_REFUSALS: ErrorCode[] = [...FOLDER_REASONS, 'SERVICE_REFUSED'];

/** Returns a channel's shares with files refused for this folder, except those saved by hand. */
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
    .where((eb) => eb.and({ team, channel, projectId, folderId, state: 'refused' }))
    .where(FOLLOWS_CHANNEL)
    .where('problem', 'in', FOLDER_REFUSALS)
    .execute();
}

/** Makes all transfers that wait because of these problems due at once; returns how many. */
export function hurryWaitingFor(
  db: Db,
  problems: readonly ErrorCode[],
  now: number,
): Promise<number> {
  return atomically(db, async (trx) => {
    const waiting = sql<boolean>`(problem in (${sql.join(problems)}) and next_try_at > ${now})`;
    const rows = await hurry(trx, waiting);
    await reschedule(trx, rows, { now, dueAt: dueAgain(now) });
    return rows.length;
  });
}

/**
 * Ends the waits of files on their way; returns those that waited. What a hold keeps waits for as long as
 * that stands.
 */
export function hurry(trx: Db, which: RawBuilder<boolean>) {
  const onTheirWay = trx.updateTable('transfers').set({ nextTryAt: null }).where(ON_THEIR_WAY);
  const waiting = onTheirWay.where(sql<boolean>`(next_try_at is not null or ${KEPT})`);
  return waiting.where(which).returning(['id', 'shareId']).execute();
}

/** Selects the parked files of a channel. */
export function parked(ref: ChannelRef, part?: 'past') {
  return sql<boolean>`(state = 'parked' and queue = ${queueOf(ref, part)})`;
}

/** Selects a channel's files that are on their way to this folder. */
function onTheWayTo(ref: ChannelRef, folder: Destination) {
  return sql<boolean>`(${ON_THEIR_WAY} and queue in (${queueOf(ref)}, ${queueOf(ref, 'past')})
    and ${isOfFolder(folder)})`;
}

/** Selects a channel's own files that wait for this folder, which is gone, as somebody saved them there. */
function boundTo(ref: ChannelRef, folder: Destination) {
  return sql`(${ON_THEIR_WAY} and queue = ${queueOf(ref, 'saved')} and ${isOfFolder(folder)}
    and problem = 'DESTINATION_GONE'
    and exists (select 1 from shares where shares.id = share_id and saved_to = ''))`;
}

/** Begins an update of a channel's unclaimed files that are on their way to this folder. */
function updateWaiting(trx: Db, ref: ChannelRef, folder: Destination) {
  return trx.updateTable('transfers').where(onTheWayTo(ref, folder)).where(UNCLAIMED);
}
