import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Destination, FolderRef, PauseReason } from '../transfers/index.ts';
import { anyRow } from './rows.ts';
import type { ChannelTable, Db } from './schema.ts';

export interface ChannelRef {
  team: string;
  channel: string;
}

/** A channel's folder, as somebody linked it, by the names that it had when they were last noted. */
export interface Link extends FolderRef {
  linkedBy: string;
  linkedAt: number;
}

/** A link as it stands. */
export interface StandingLink extends Link {
  /** Why its files wait: see paused-links.ts; null while its folder takes them. */
  pausedFor: PauseReason | null;
  /** Whether somebody was told of that. */
  pauseNotified: boolean;
}

/** The columns that toLink reads. */
export const LINK_COLUMNS = [
  ...(['projectId', 'folderId', 'projectTitle', 'folderName', 'linkedBy', 'linkedAt'] as const),
  ...(['pausedFor', 'pauseToldAt'] as const),
] as const;

/** The link of a channel; `lock`: see locked. */
export async function findLink(
  db: Db,
  ref: ChannelRef,
  lock = sql``,
): Promise<StandingLink | null> {
  const row = db.selectFrom('channels').select(LINK_COLUMNS).where(isChannel(ref));
  return toLink(await row.modifyEnd(lock).executeTakeFirst());
}

/** All links of a workspace’s channels, by channel. */
export async function listLinks(db: Db, team: string): Promise<Map<string, StandingLink>> {
  const rows = await db
    .selectFrom('channels')
    .select(['channel', ...LINK_COLUMNS])
    .where('team', '=', team)
    .where('folderId', 'is not', null)
    .orderBy('channel')
    .execute();
  const links = new Map<string, StandingLink>();
  for (const { channel, ...row } of rows) {
    const link = toLink(row);
    if (link) links.set(channel, link);
  }
  return links;
}

/** What a link calls its folder; a name that is absent stays. */
export type LinkNames = Partial<Pick<Link, 'projectTitle' | 'folderName'>>;

/** All links to a folder call it that from now on. */
export async function renameLinks(
  db: Db,
  { projectId, folderId }: Destination,
  names: LinkNames,
): Promise<void> {
  await db
    .updateTable('channels')
    .set(names)
    .where((eb) => eb.and({ projectId, folderId }))
    .execute();
}

/** The link of a channel's row; null where it is not linked, or there is none. */
export function toLink(
  row: Pick<Selectable<ChannelTable>, (typeof LINK_COLUMNS)[number]> | undefined,
): StandingLink | null {
  if (!row) return null;
  const { projectId, folderId, linkedBy, linkedAt, pauseToldAt, ...others } = row;
  if (projectId === null || folderId === null) return null;
  const by = { linkedBy: linkedBy ?? '', linkedAt: linkedAt ?? 0 };
  return { projectId, folderId, ...others, ...by, pauseNotified: pauseToldAt !== null };
}

/** What is known of a channel's history: see ChannelTable. */
export type HistoryMarks = Pick<Selectable<ChannelTable>, 'confirmedTs' | 'joinedTs'>;

/** The marks of a channel's history, each null while it has none. */
export async function findHistoryMarks(db: Db, ref: ChannelRef): Promise<HistoryMarks> {
  const query = db.selectFrom('channels').select(['confirmedTs', 'joinedTs']).where(isChannel(ref));
  return (await query.executeTakeFirst()) ?? { confirmedTs: null, joinedTs: null };
}

/**
 * The bot joined a channel at `ts`: its history counts from then on, if none of it counted before. What it
 * missed before it had left is still to be read. Resolves with whether that is news.
 */
export function recordJoin(db: Db, { team, channel }: ChannelRef, ts: string): Promise<boolean> {
  const joined = db
    .insertInto('channels')
    .values({ team, channel, confirmedTs: ts, joinedTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ joinedTs: ts, confirmedTs: sql`coalesce(channels.confirmed_ts, ${ts})` })
        .where(sql<boolean>`(channels.joined_ts is null or channels.joined_ts < ${ts})`),
    );
  return anyRow(joined.returning('team'));
}

/** History up to `ts` is in the ledger; never goes back. Slack's timestamps sort as text. */
export async function confirmUpTo(db: Db, ref: ChannelRef, ts: string): Promise<void> {
  await confirm(db, ref, { ts, over: sql`channels.confirmed_ts < ${ts}` });
}

/** History counts from `ts` on, in a channel that has no confirmed message yet; whether it had none. */
export function confirmFirst(db: Db, ref: ChannelRef, ts: string): Promise<boolean> {
  return confirm(db, ref, { ts, over: sql`false` });
}

/** Where nothing is confirmed yet, or what is may be written over. */
function confirm(
  db: Db,
  { team, channel }: ChannelRef,
  { ts, over }: { ts: string; over: RawBuilder<unknown> },
): Promise<boolean> {
  const confirmed = db
    .insertInto('channels')
    .values({ team, channel, confirmedTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ confirmedTs: ts })
        .where(sql<boolean>`(channels.confirmed_ts is null or ${over})`),
    );
  return anyRow(confirmed.returning('team'));
}

/** The row of a channel, as the WHERE of a statement. */
export function isChannel({ team, channel }: ChannelRef) {
  return sql<boolean>`(team = ${team} and channel = ${channel})`;
}
