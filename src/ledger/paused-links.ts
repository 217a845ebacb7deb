import { type NotNull, type RawBuilder, sql } from 'kysely';
import {
  AFTER_PROBE_MS,
  type ChannelRef,
  type Destination,
  type PauseReason,
  probeDelay,
} from '../transfers/index.ts';
import {
  CHANNEL_OF_SHARE,
  isChannel,
  isOfFolder,
  LINK_COLUMNS,
  type PausableLink,
  toLink,
} from './channels.ts';
import type { Claim } from './jobs.ts';
import { noteSharesChanged, updateTransfers } from './notifications.ts';
import { anyRow, atomically, inChunks, locked } from './run-statements.ts';
import type { Db } from './schema.ts';
import { type Problem, postpone, TRIED_AGAIN } from './steps.ts';
import { FILING, UNCLAIMED } from './transfer.ts';
import { dueAgain, onTheWayTo, updateWaiting } from './waiting-files.ts';

/*
 * A link whose folder is gone or may not be used is paused, and its channel's files wait. Now and
 * then one of them tries the folder, a different one each time, because one may be refused for its
 * own sake. The others, and files shared meanwhile, are due a while later, so that one of them
 * tries if the first is withdrawn. The first file that the folder accepts ends the pause of all
 * channels linked to it; a new link of the channel ends its pause, too.
 */

/** The columns of a channel whose link is not paused. */
export const NOT_PAUSED = { pausedAt: null, pausedFor: null, pauseToldAt: null };

interface Pausing {
  claim: Claim;
  /** Why this transfer waits. */
  problem: Problem;
  reason: PauseReason;
  now: number;
  /** Factor by which the waits are multiplied. */
  scale: number;
}

/** `not-paused`: nothing was done. */
type Paused = 'paused' | 'paused-before' | 'not-paused';

/**
 * Pauses the link of a claimed transfer's channel, because its folder refuses files, and puts off
 * the other files for that folder; the one whose last try is oldest tries next. Ends the claim.
 * Returns whether the link was paused now or before; `not-paused` when the channel is not linked to
 * that folder, or the folder has accepted others since this transfer paused the link, so that this
 * one is refused for its own sake.
 */
export function pauseLink(
  db: Db,
  { claim, problem, reason, now, scale }: Pausing,
): Promise<Paused> {
  return atomically(db, async (trx) => {
    const link = await linkOf(trx, claim);
    if (!link) return 'not-paused';
    // A pause from before the channel was linked, also to the same folder, says nothing of this link.
    const hasPausedIt = (link.ownPausedAt ?? -1) >= (link.linkedAt ?? 0);
    if (link.pausedAt === null && hasPausedIt) return 'not-paused';
    const pausedAt = link.pausedAt ?? now;
    await trx
      .updateTable('channels')
      .set({ pausedAt, pausedFor: reason })
      .where(isChannel(link))
      .execute();
    const tryAt = now + Math.round(probeDelay(now - pausedAt) * scale);
    const after = tryAt + Math.round(AFTER_PROBE_MS * scale);
    const others = othersOf(link, claim);
    await putOff(trx, others, { reason, dueAt: after, now });
    const dueAt = (await haveOneTry(trx, others, tryAt)) ? after : tryAt;
    await trx.updateTable('transfers').set({ pausedAt: now }).where('id', '=', claim.id).execute();
    await postpone(trx, claim, { problem, dueAt, failingSince: now, now });
    return link.pausedAt === null ? 'paused' : 'paused-before';
  });
}

/**
 * Puts off a claimed transfer that its link's pause has not put off yet, while another tries the
 * folder. Ends the claim. False, with nothing done, when the link is not paused or no other waits.
 */
export function holdBack(
  db: Db,
  claim: Claim,
  { now, scale }: Pick<Pausing, 'now' | 'scale'>,
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const link = await linkOf(trx, claim);
    if (!link || link.pausedAt === null || link.pausedFor === null) return false;
    const others = trx.selectFrom('transfers').select('id').where(onTheWayTo(link, link));
    if (!(await anyRow(others.where('problem', 'is not', null).limit(1)))) return false;
    const dueAt = now + Math.round((probeDelay(now - link.pausedAt) + AFTER_PROBE_MS) * scale);
    const problem = { code: link.pausedFor, note: null };
    await postpone(trx, claim, { problem, dueAt, failingSince: now, now });
    return true;
  });
}

/**
 * Returns the link of a transfer's channel if it is to the transfer's folder, and locks it: nobody
 * links the channel anew, or ends its pause, before the transaction ends.
 */
function linkOf(trx: Db, { id }: Claim) {
  const link = trx
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .innerJoin('channels', (join) =>
      join
        .on(CHANNEL_OF_SHARE)
        .onRef('channels.projectId', '=', 'transfers.projectId')
        .onRef('channels.folderId', '=', 'transfers.folderId'),
    )
    .select(['channels.team', 'channels.channel', 'channels.projectId', 'channels.folderId'])
    .select(['channels.pausedAt', 'channels.pausedFor', 'channels.linkedAt'])
    .select('transfers.pausedAt as ownPausedAt')
    .where('transfers.id', '=', id)
    // Files saved by hand go to their chosen folder, wherever the channel's files go.
    .where('shares.origin', '<>', 'saved')
    .$narrowType<{ projectId: NotNull; folderId: NotNull }>();
  return link.modifyEnd(locked(trx, 'channels')).executeTakeFirst();
}

/** Selects the other unclaimed files that wait for a link's folder. */
function othersOf(link: ChannelRef & Destination, { id }: Claim) {
  return sql<boolean>`(${onTheWayTo(link, link)} and ${FILING} and ${UNCLAIMED} and id <> ${id})`;
}

async function putOff(
  trx: Db,
  others: RawBuilder<boolean>,
  { reason, dueAt, now }: { reason: PauseReason; dueAt: number; now: number },
): Promise<void> {
  const waiting = trx.updateTable('transfers').where(others);
  await tryNoEarlier(trx, await waiting.set({ nextTryAt: dueAt }).returning('id').execute());
  const news = waiting.where('problem', 'is distinct from', reason);
  const told = news.set({ problem: reason, problemNote: null }).returning('shareId');
  await noteSharesChanged(trx, await told.execute(), now);
}

/** Has the file whose last try is oldest try the folder next; resolves with false for none. */
async function haveOneTry(trx: Db, others: RawBuilder<boolean>, dueAt: number): Promise<boolean> {
  const longest = trx
    .selectFrom('transfers')
    .select('id')
    .where(others)
    .orderBy(sql`coalesce(paused_at, 0)`)
    .orderBy('id')
    .limit(1);
  const one = trx.updateTable('transfers').set({ nextTryAt: dueAt }).where('id', '=', longest);
  const rows = await one.returning('id').execute();
  await tryNoEarlier(trx, rows);
  return rows.length > 0;
}

/** Has the free uploads of these transfers due when they may be tried. A folder's job looks for itself. */
async function tryNoEarlier(trx: Db, transfers: readonly { id: number }[]): Promise<void> {
  const keys = transfers.map(({ id }) => String(id));
  const dueAt = sql<number>`(select next_try_at from transfers where id = cast(jobs.key as bigint))`;
  await inChunks(keys, (some) =>
    trx
      .updateTable('jobs')
      .set({ dueAt })
      .where('kind', '=', 'upload')
      .where('key', 'in', some)
      .where('leaseToken', 'is', null)
      .returning('key')
      .execute(),
  );
}

/**
 * Ends the pauses of all links to a folder that accepted a file sent at `sentAt`, if they began
 * before, and makes due what waits for it. Returns the channels whose links were paused.
 */
export function endPauses(
  db: Db,
  folder: Destination,
  { sentAt, now }: { sentAt: number; now: number },
): Promise<ChannelRef[]> {
  return atomically(db, async (trx) => {
    const paused = await trx
      .updateTable('channels')
      .set(NOT_PAUSED)
      .where(isOfFolder(folder))
      .where('pausedAt', '<=', sentAt)
      .returning(['team', 'channel'])
      .execute();
    for (const ref of paused) await resumeFiles(trx, ref, { folder, now });
    return paused;
  });
}

/** Makes due the unclaimed files that wait for a folder, to start over. */
export async function resumeFiles(
  db: Db,
  ref: ChannelRef,
  { folder, now, ...changes }: { folder: Destination; now: number; pausedAt?: null },
): Promise<void> {
  const waiting = updateWaiting(db, ref, folder);
  await updateTransfers(db, now, waiting.set({ ...TRIED_AGAIN, ...changes }), dueAgain(now));
}

/**
 * Records that somebody is notified of a pause. Resolves with the link for one caller only; with
 * null for all others, and when the link is not paused.
 */
export async function claimPauseNotice(
  db: Db,
  ref: ChannelRef,
  now: number,
): Promise<PausableLink | null> {
  const row = await db
    .updateTable('channels')
    .set({ pauseToldAt: now })
    .where(isChannel(ref))
    .where('pausedAt', 'is not', null)
    .where('pauseToldAt', 'is', null)
    .returning(LINK_COLUMNS)
    .executeTakeFirst();
  return toLink(row);
}

/** Takes back the notice recorded at `notifiedAt`, which reached nobody: the next caller gets it. */
export async function dropPauseNotice(db: Db, ref: ChannelRef, notifiedAt: number): Promise<void> {
  await db
    .updateTable('channels')
    .set({ pauseToldAt: null })
    .where(isChannel(ref))
    .where('pauseToldAt', '=', notifiedAt)
    .execute();
}
