import { type Kysely, sql } from 'kysely';
import { type Destination, queueOf } from '../transfers/index.ts';
import type { Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';

export interface ChannelRef {
  team: string;
  channel: string;
}

/** A channel's folder, as somebody linked it. */
export interface Link extends Destination {
  /** The folder's name when it was linked; null where the account does not tell names. */
  folderName: string | null;
  linkedBy: string;
  linkedAt: number;
}

/** The links of channels, each asked for once. */
export async function findLinks(
  db: Kysely<Tables>,
  refs: readonly ChannelRef[],
): Promise<(Link | null)[]> {
  const links = new Map<string, Link | null>();
  for (const ref of refs)
    if (!links.has(queueOf(ref))) links.set(queueOf(ref), await findLink(db, ref));
  return refs.map((ref) => links.get(queueOf(ref)) ?? null);
}

async function findLink(db: Kysely<Tables>, ref: ChannelRef): Promise<Link | null> {
  const row = await db
    .selectFrom('channels')
    .select(['projectId', 'folderId', 'folderName', 'linkedBy', 'linkedAt'])
    .where('team', '=', ref.team)
    .where('channel', '=', ref.channel)
    .executeTakeFirst();
  if (!row || row.projectId === null || row.folderId === null) return null;
  const { projectId, folderId, folderName } = row;
  return {
    projectId,
    folderId,
    folderName,
    linkedBy: row.linkedBy ?? '',
    linkedAt: row.linkedAt ?? 0,
  };
}

export async function setLink(db: Kysely<Tables>, ref: ChannelRef, link: Link): Promise<void> {
  const { team, channel } = ref;
  const { projectId, folderId, folderName, linkedBy, linkedAt } = link;
  const values = { projectId, folderId, folderName, linkedBy, linkedAt };
  await db
    .insertInto('channels')
    .values({ team, channel, ...values })
    .onConflict((conflict) => conflict.columns(['team', 'channel']).doUpdateSet(values))
    .execute();
}

export async function removeLink(db: Kysely<Tables>, ref: ChannelRef): Promise<void> {
  await db
    .updateTable('channels')
    .set({ projectId: null, folderId: null, folderName: null, linkedBy: null, linkedAt: null })
    .where('team', '=', ref.team)
    .where('channel', '=', ref.channel)
    .execute();
}

export interface KnownChannel extends ChannelRef {
  linked: boolean;
  confirmedTs: string | null;
}

/** All channels that the ledger knows of, linked or not. */
export async function listChannels(db: Kysely<Tables>): Promise<KnownChannel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['team', 'channel', 'folderId', 'confirmedTs'])
    .orderBy('team')
    .orderBy('channel')
    .execute();
  return rows.map(({ folderId, ...row }) => ({ ...row, linked: folderId !== null }));
}

/**
 * History up to `ts` is in the ledger; never goes back. Resolves with whether it goes forward.
 * Slack's timestamps sort as text.
 */
export async function confirmUpTo(
  db: Kysely<Tables>,
  ref: ChannelRef,
  ts: string,
): Promise<boolean> {
  const row = await db
    .insertInto('channels')
    .values({ team: ref.team, channel: ref.channel, confirmedTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ confirmedTs: ts })
        .where((eb) =>
          eb.or([eb('channels.confirmedTs', 'is', null), eb('channels.confirmedTs', '<', ts)]),
        ),
    )
    .returning('team')
    .executeTakeFirst();
  return row !== undefined;
}

/** History counts from `ts` on, in a channel that has no confirmed message yet; whether it had none. */
export async function confirmFirst(
  db: Kysely<Tables>,
  ref: ChannelRef,
  ts: string,
): Promise<boolean> {
  const row = await db
    .insertInto('channels')
    .values({ team: ref.team, channel: ref.channel, confirmedTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ confirmedTs: ts })
        .where('channels.confirmedTs', 'is', null),
    )
    .returning('team')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a person has shared nothing before in a channel that waits for a folder as this share does. */
export async function isFirstParked(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { shareId, userId }: { shareId: number; userId: string },
): Promise<boolean> {
  const before = await db
    .selectFrom('transfers')
    .select('id')
    .where('state', '=', sql.lit('parked'))
    .where('queue', '=', queueOf(ref))
    .where('userId', '=', userId)
    .where('shareId', '<', shareId)
    .limit(1)
    .executeTakeFirst();
  return before === undefined;
}

/** Files of a channel that wait for a folder or for somebody's word. */
export async function countParked(db: Kysely<Tables>, ref: ChannelRef): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('state', '=', sql.lit('parked'))
    .where('queue', '=', queueOf(ref))
    .executeTakeFirstOrThrow();
  return count;
}

/** Sends a channel's parked files on their way; answers how many. */
export function fileParked(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { destination, now }: { destination: Destination; now: number },
): Promise<number> {
  const { projectId, folderId } = destination;
  return atomically(db, async (trx) => {
    const rows = await trx
      .updateTable('transfers')
      .set({ projectId, folderId, state: 'recorded', dueAt: now })
      .where('state', '=', sql.lit('parked'))
      .where('queue', '=', queueOf(ref))
      .returning('shareId')
      .execute();
    const shares = [...new Set(rows.map((row) => row.shareId))];
    for (const id of shares) await showShare(trx, id, now);
    return rows.length;
  });
}

/** Files what of one share was parked for want of a destination. */
export async function fileParkedShare(
  db: Kysely<Tables>,
  shareId: number,
  { destination, now }: { destination: Destination; now: number },
): Promise<void> {
  const { projectId, folderId } = destination;
  await atomically(db, async (trx) => {
    await trx
      .updateTable('transfers')
      .set({ projectId, folderId, state: 'recorded', dueAt: now })
      .where('shareId', '=', shareId)
      .where('state', '=', 'parked')
      .where('projectId', 'is', null)
      .execute();
    await showShare(trx, shareId, now);
  });
}

async function showShare(trx: Kysely<Tables>, id: number, now: number): Promise<void> {
  await trx.updateTable('shares').set({ dueAt: now }).where('id', '=', id).execute();
}
