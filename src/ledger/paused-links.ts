import { type NotNull, sql } from 'kysely';
import {
  AFTER_PROBE_MS,
  type Destination,
  type PauseReason,
  probeDelay,
} from '../transfers/index.ts';
import { type ChannelRef, isChannel, LINK_COLUMNS, type StandingLink, toLink } from './channels.ts';
import { locked } from './dialect.ts';
import type { Claim } from './lease.ts';
import { changeTransfers } from './notifications.ts';
import { anyRow } from './rows.ts';
import type { Db } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { type Problem, postpone, TRIED_AGAIN } from './steps.ts';
import { FILING } from './transfer.ts';
import { ofFolder, ofWaiting } from './waiting-files.ts';

/*
 * A link whose folder is gone, or may not be used any more, is paused, and its channel's files wait.
 * One of them tries the folder now and then, in turn, as one may be refused for its own sake; the others,
 * and those that are shared meanwhile, are due a while later, so that one of them tries it should the
 * first be taken back. The first file that the folder takes ends the pause of all channels that are
 * linked to it, and so does a new link of the channel.
 */

/** The columns of a channel whose folder takes files. */
export const NOT_PAUSED = { pausedAt: null, pausedFor: null, pauseToldAt: null };

interface Pausing {
  /** Why this transfer waits. */
  problem: Problem;
  reason: PauseReason;
  now: number;
  /** Stretches or shrinks the waits. */
  scale: number;
}

/**
 * The folder of a claimed transfer takes no files: pauses its channel's link, and puts off what waits for
 * that folder; what waits longest since its last try is the next to try. Ends the claim, and returns
 * whether the link was paused just now or before. `not-paused`, with nothing done: the channel is not
 * linked to that folder; or the folder has taken others since this transfer paused the link, so that it
 * is refused for its own sake.
 */
export function pauseLink(
  db: Db,
  claim: Claim,
  { problem, reason, now, scale }: Pausing,
): Promise<'paused' | 'paused-before' | 'not-paused'> {
  return atomically(db, async (trx) => {
    const link = await linkOf(trx, claim);
    if (!link || (link.pausedAt === null && link.ownPausedAt !== null)) return 'not-paused';
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
 * Puts off a claimed transfer of a paused link that did not wait for it yet, while another of its channel
 * tries the folder. Ends the claim. False, with nothing done, where the link is not paused or no other waits.
 */
export function holdBack(
  db: Db,
  claim: Claim,
  { now, scale }: Pick<Pausing, 'now' | 'scale'>,
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const link = await linkOf(trx, claim);
    if (!link || link.pausedAt === null || link.pausedFor === null) return false;
    const others = trx.selectFrom('transfers').select('id').where(ofFolder(link, link));
    if (!(await anyRow(others.where('problem', 'is not', null).limit(1)))) return false;
    const dueAt = now + Math.round((probeDelay(now - link.pausedAt) + AFTER_PROBE_MS) * scale);
    const problem = { code: link.pausedFor, note: null };
    await postpone(trx, claim, { problem, dueAt, failingSince: now, now });
    return true;
  });
}

/**
 * The link of a transfer's channel, where it is to the transfer's own folder. Nobody links the channel
 * anew, or ends its pause, before the transaction ends.
 */
function linkOf(trx: Db, { id }: Claim) {
  const link = trx
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .innerJoin('channels', (join) =>
      join
        .onRef('channels.team', '=', 'shares.team')
        .onRef('channels.channel', '=', 'shares.channel')
        .onRef('channels.projectId', '=', 'transfers.projectId')
        .onRef('channels.folderId', '=', 'transfers.folderId'),
    )
    .select(['channels.team', 'channels.channel', 'channels.projectId', 'channels.folderId'])
    .select(['channels.pausedAt', 'channels.pausedFor', 'transfers.pausedAt as ownPausedAt'])
    .where('transfers.id', '=', id)
    // What was saved by hand goes to the folder that was chosen, wherever the channel's files go.
    .where('shares.origin', '<>', 'saved')
    .$narrowType<{ projectId: NotNull; folderId: NotNull }>();
  return link.modifyEnd(locked(trx, 'channels')).executeTakeFirst();
}

/** What waits for the folder of a link and nobody holds, besides this one. */
function othersOf(link: ChannelRef & Destination, { id }: Claim) {
  return sql<boolean>`(${ofFolder(link, link)} and ${FILING} and lease_token is null and id <> ${id})`;
}

type Others = ReturnType<typeof othersOf>;

async function putOff(
  trx: Db,
  others: Others,
  { reason, dueAt, now }: { reason: PauseReason; dueAt: number; now: number },
): Promise<void> {
  const waiting = trx.updateTable('transfers').where(others);
  await waiting.set({ dueAt }).execute();
  const news = waiting.where('problem', 'is distinct from', reason);
  const told = news.set({ problem: reason, problemNote: null }).returning('shareId');
  await changeTransfers(trx, now, () => told);
}

/** Has the one of them try the folder that did not for longest; false where there is none. */
function haveOneTry(trx: Db, others: Others, dueAt: number): Promise<boolean> {
  const longest = trx
    .selectFrom('transfers')
    .select('id')
    .where(others)
    .orderBy(sql`coalesce(paused_at, 0)`)
    .orderBy('id')
    .limit(1);
  const one = trx.updateTable('transfers').set({ dueAt }).where('id', '=', longest);
  return anyRow(one.returning('id'));
}

/**
 * A folder has taken a file that was sent at `sentAt`: the pauses of all links to it that began before are
 * over, and what waits for it is due. Returns the channels whose links were paused.
 */
export function endPauses(
  db: Db,
  { projectId, folderId }: Destination,
  { sentAt, now }: { sentAt: number; now: number },
): Promise<ChannelRef[]> {
  return atomically(db, async (trx) => {
    const paused = await trx
      .updateTable('channels')
      .set(NOT_PAUSED)
      .where((eb) => eb.and({ projectId, folderId }))
      // One that begins in the future began before our clock was set back.
      .where((eb) => eb.or([eb('pausedAt', '<=', sentAt), eb('pausedAt', '>', now)]))
      .returning(['team', 'channel'])
      .execute();
    const folder = { projectId, folderId };
    for (const ref of paused) await resumeFiles(trx, { ref, folder, now });
    return paused;
  });
}

interface Waiting {
  ref: ChannelRef;
  folder: Destination;
  now: number;
}

/** Makes due what waits for a folder, to be tried as if anew. */
export function resumeFiles(
  db: Db,
  { ref, folder, now }: Waiting,
  changes: { pausedAt?: null } = {},
): Promise<number> {
  const due = { ...TRIED_AGAIN, ...changes, dueAt: now };
  return changeTransfers(db, now, (trx) =>
    ofWaiting(trx, ref, folder).set(due).returning('shareId'),
  );
}

/**
 * Notes that a pause is told of: of all who ask, one gets the link to tell of. Null for others, and where
 * it goes on.
 */
export async function claimPauseNotice(
  db: Db,
  ref: ChannelRef,
  now: number,
): Promise<StandingLink | null> {
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

/** Nobody could be told, of what was noted at `toldAt`: the next one who asks is to tell. */
export async function dropPauseNotice(db: Db, ref: ChannelRef, toldAt: number): Promise<void> {
  await db
    .updateTable('channels')
    .set({ pauseToldAt: null })
    .where(isChannel(ref))
    .where('pauseToldAt', '=', toldAt)
    .execute();
}
