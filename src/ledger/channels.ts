import { type RawBuilder, type Selectable, sql } from 'kysely';
import {
  type ChannelRef,
  type Destination,
  type FolderRef,
  type PauseReason,
  queueOf,
} from '../transfers/index.ts';
import { anyRow, locked } from './run-statements.ts';
import type { ChannelTable, Db } from './schema.ts';

/** A channel's folder, as somebody linked it, with its names when they were last noted. */
export interface Link extends FolderRef {
  linkedBy: string;
  linkedAt: number;
}

export interface PausableLink extends Link {
  /** Why its files wait: its folder is held, see holds.ts; null while it accepts them. */
  pausedFor: PauseReason | null;
  /** Whether somebody was notified of that, for this channel. */
  pauseNotified: boolean;
}

const COLUMNS = [
  ...(['team', 'channel', 'projectId', 'folderId', 'projectTitle', 'folderName'] as const),
  ...(['linkedBy', 'linkedAt'] as const),
] as const;

const HOLD = sql`from holds where scope = project_id || '/' || folder_id`;
const HOLD_COLUMNS = [
  sql<PauseReason | null>`(select reason ${HOLD})`.as('pausedFor'),
  sql<string | null>`(select told ${HOLD})`.as('told'),
];

/** Returns the channel's link, or null. */
export async function findLink(db: Db, ref: ChannelRef): Promise<PausableLink | null> {
  return toLink(await selectLink(db, ref).executeTakeFirst());
}

function selectLink(db: Db, ref: ChannelRef) {
  return db.selectFrom('channels').select(COLUMNS).select(HOLD_COLUMNS).where(isChannel(ref));
}

/**
 * Returns a channel's link, or null, and holds the channel's row, made for this if need be: nobody
 * changes the link before the transaction ends.
 */
export async function lockLink(
  trx: Db,
  { team, channel }: ChannelRef,
): Promise<PausableLink | null> {
  const row = trx.insertInto('channels').values({ team, channel });
  await row.onConflict((conflict) => conflict.doNothing()).execute();
  const link = selectLink(trx, { team, channel }).modifyEnd(locked(trx, 'channels'));
  return toLink(await link.executeTakeFirst());
}

/** Returns all links of a workspace's channels, by channel. */
export async function listLinks(db: Db, team: string): Promise<Map<string, PausableLink>> {
  const rows = await db
    .selectFrom('channels')
    .select(COLUMNS)
    .select(HOLD_COLUMNS)
    .where('team', '=', team)
    .where('folderId', 'is not', null)
    .orderBy('channel')
    .execute();
  const links = new Map<string, PausableLink>();
  for (const row of rows) {
    const link = toLink(row);
    if (link) links.set(row.channel, link);
  }
  return links;
}

/** The names of a link's folder; an absent name stays as it is. */
export type LinkNames = Partial<Pick<Link, 'projectTitle' | 'folderName'>>;

/** Renames the folder in all links to it. */
export async function renameLinks(db: Db, folder: Destination, names: LinkNames): Promise<void> {
  await db.updateTable('channels').set(names).where(isOfFolder(folder)).execute();
}

/** Returns the link in a channel's row; null when it is not linked, or there is no row. */
export function toLink(
  row:
    | (Pick<Selectable<ChannelTable>, (typeof COLUMNS)[number]> & {
        pausedFor?: PauseReason | null;
        told?: string | null;
      })
    | undefined,
): PausableLink | null {
  if (!row) return null;
  const { projectId, folderId, projectTitle, folderName, pausedFor = null } = row;
  if (projectId === null || folderId === null) return null;
  const by = { linkedBy: row.linkedBy ?? '', linkedAt: row.linkedAt ?? 0 };
  const pauseNotified = row.told?.includes(` ${queueOf(row)} `) ?? false;
  return { projectId, folderId, projectTitle, folderName, pausedFor, ...by, pauseNotified };
}

const MARKS = ['confirmedTs', 'joinedTs', 'threadsTs', 'restDue'] as const;

/** Returns what is known of a channel's history: see ChannelTable. */
export async function findHistoryMarks(
  db: Db,
  ref: ChannelRef,
): Promise<Pick<Selectable<ChannelTable>, (typeof MARKS)[number]>> {
  const query = db.selectFrom('channels').select(MARKS).where(isChannel(ref));
  const none = { confirmedTs: null, joinedTs: null, threadsTs: null, restDue: null };
  return (await query.executeTakeFirst()) ?? none;
}

/**
 * Records that the bot joined a channel at `ts`: its history counts from then on, unless some was
 * confirmed. What it missed before it had left is still read. Resolves with whether that is news.
 */
export function recordJoin(db: Db, { team, channel }: ChannelRef, ts: string): Promise<boolean> {
  const joined = db
    .insertInto('channels')
    .values({ team, channel, confirmedTs: ts, threadsTs: ts, joinedTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({
          joinedTs: ts,
          confirmedTs: sql`coalesce(channels.confirmed_ts, ${ts})`,
          threadsTs: sql`coalesce(channels.threads_ts, ${ts})`,
        })
        .where(sql<boolean>`(channels.joined_ts is null or channels.joined_ts < ${ts})`),
    );
  return anyRow(joined.returning('team'));
}

/** Confirms history up to `ts`; the marks never move back. Slack's timestamps sort as text. */
export async function confirmUpTo(db: Db, ref: ChannelRef, ts: string): Promise<void> {
  await confirm(db, ref, { ts, over: sql`channels.confirmed_ts < ${ts}` });
}

/** Starts history at `ts` if no message is confirmed yet; resolves with whether none was. */
export function confirmFirst(db: Db, ref: ChannelRef, ts: string): Promise<boolean> {
  return confirm(db, ref, { ts, over: sql`false` });
}

/** Sets the marks if there are none yet, or if `over` allows replacing them. */
function confirm(
  db: Db,
  { team, channel }: ChannelRef,
  { ts, over }: { ts: string; over: RawBuilder<unknown> },
): Promise<boolean> {
  const confirmed = db
    .insertInto('channels')
    .values({ team, channel, confirmedTs: ts, threadsTs: ts })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ confirmedTs: ts, threadsTs: laterMark('threads_ts', ts) })
        .where(sql<boolean>`(channels.confirmed_ts is null or ${over})`),
    );
  return anyRow(confirmed.returning('team'));
}

/** A channel's mark, or a later one. */
export function laterMark(mark: 'confirmed_ts' | 'threads_ts', ts: string): RawBuilder<string> {
  const known = sql.ref(`channels.${mark}`);
  return sql<string>`case when ${known} > ${ts} then ${known} else ${ts} end`;
}

/** Joins shares with their channels. */
export const CHANNEL_OF_SHARE = sql<boolean>`(channels.team = shares.team
  and channels.channel = shares.channel)`;

/** The WHERE that selects a channel's row. */
export function isChannel({ team, channel }: ChannelRef) {
  return sql<boolean>`(team = ${team} and channel = ${channel})`;
}

/** The WHERE that selects the rows of a folder. */
export function isOfFolder({ projectId, folderId }: Destination) {
  return sql<boolean>`(project_id = ${projectId} and folder_id = ${folderId})`;
}
