import { type RawBuilder, sql } from 'kysely';
import {
  type ChannelRef,
  type Destination,
  type FolderReason,
  type FolderRef,
  queueOf,
} from '../core/index.ts';
import { anyRow, locked } from './run-statements.ts';
import type { ChannelRow, Db } from './schema.ts';

/** A channel's folder, as somebody linked it, with its names when they were last noted. */
export interface Link extends FolderRef {
  linkedBy: string;
  linkedAt: number;
}

export interface HoldableLink extends Link {
  /** Why its files wait: its folder is held, see holds.ts; null while it accepts them. */
  heldFor: FolderReason | null;
  /** Whether somebody was notified of that, for this channel. */
  holdNotified: boolean;
  /** Whether each share also gets a line in its thread; false: only one that needs somebody. */
  lines: boolean;
  /** Whether it is notified of files that others add to the folder. */
  announces: boolean;
}

const COLUMNS = [
  ...(['team', 'channel', 'projectId', 'folderId', 'projectTitle', 'folderName'] as const),
  ...(['url', 'linkedBy', 'linkedAt', 'lines', 'announces'] as const),
] as const;

const HOLD = sql`from holds where scope = project_id || '/' || folder_id`;
const HOLD_COLUMNS = [
  sql<FolderReason | null>`(select reason ${HOLD})`.as('heldFor'),
  sql<string | null>`(select told ${HOLD})`.as('told'),
];

/** Returns the channel's link, or null. */
export async function findLink(db: Db, ref: ChannelRef): Promise<HoldableLink | null> {
  return toLink(await selectLinks(db).where(isChannel(ref)).executeTakeFirst());
}

function selectLinks(db: Db) {
  return db.selectFrom('channels').select(COLUMNS).select(HOLD_COLUMNS);
}

/**
 * Returns a channel's link, or null, and holds the channel's row, made for this if need be: nobody
 * changes the link before the transaction ends.
 */
export async function lockLink(
  trx: Db,
  { team, channel }: ChannelRef,
): Promise<HoldableLink | null> {
  const row = trx.insertInto('channels').values({ team, channel });
  await row.onConflict((conflict) => conflict.doNothing()).execute();
  const link = selectLinks(trx).where(isChannel({ team, channel }));
  return toLink(await link.modifyEnd(locked(trx, 'channels')).executeTakeFirst());
}

/** Returns all links of a workspace's channels, by channel. */
export async function listLinks(db: Db, team: string): Promise<Map<string, HoldableLink>> {
  const linked = selectLinks(db).where('team', '=', team).where('folderId', 'is not', null);
  const links = new Map<string, HoldableLink>();
  for (const row of await linked.orderBy('channel').execute()) {
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
    | (Pick<ChannelRow, (typeof COLUMNS)[number]> & {
        heldFor?: FolderReason | null;
        told?: string | null;
      })
    | undefined,
): HoldableLink | null {
  if (!row) return null;
  const { projectId, folderId, projectTitle, folderName, url, heldFor = null } = row;
  if (projectId === null || folderId === null) return null;
  const by = { linkedBy: row.linkedBy ?? '', linkedAt: row.linkedAt ?? 0 };
  const holdNotified = row.told?.includes(` ${queueOf(row)} `) ?? false;
  const folder = { projectId, folderId, projectTitle, folderName, url };
  const settings = { lines: row.lines === 1, announces: row.announces === 1 };
  return { ...folder, heldFor, ...by, holdNotified, ...settings };
}

/** Whether each share of a channel also gets a line: without a link, none does. */
export async function wantsLines(db: Db, ref: ChannelRef): Promise<boolean> {
  return (await findLink(db, ref))?.lines ?? false;
}

/** Sets whether each share of a channel also gets a line. Resolves with whether that is a change. */
export function setLines(db: Db, ref: ChannelRef, on: boolean): Promise<boolean> {
  const lines = on ? 1 : 0;
  const set = db.updateTable('channels').set({ lines }).where(isChannel(ref));
  return anyRow(set.where('lines', '!=', lines).returning('channel'));
}

/** Returns the bookmark of its folder in a channel's header; null for none. */
export async function findBookmark(db: Db, ref: ChannelRef): Promise<string | null> {
  const row = db.selectFrom('channels').select('bookmarkId').where(isChannel(ref));
  return (await row.executeTakeFirst())?.bookmarkId ?? null;
}

/** Notes a channel's bookmark, unless another than `was` is noted: then resolves with false. */
export function noteBookmark(
  db: Db,
  ref: ChannelRef,
  { was, bookmarkId }: { was: string | null; bookmarkId: string | null },
): Promise<boolean> {
  const noted = db.updateTable('channels').set({ bookmarkId }).where(isChannel(ref));
  return anyRow(noted.where('bookmarkId', 'is not distinct from', was).returning('channel'));
}

const MARKS = ['confirmedTs', 'joinedTs', 'threadsTs', 'restDue'] as const;

/** Returns what is known of a channel's history: see ChannelTable. */
export async function findHistoryMarks(
  db: Db,
  ref: ChannelRef,
): Promise<Pick<ChannelRow, (typeof MARKS)[number]>> {
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

/**
 * Starts history, if no message is confirmed yet, where the channel is or will be caught up from: `ts`
 * only before the channels were first listed. Resolves with whether none was.
 */
export function confirmFirst(db: Db, ref: ChannelRef, ts: string): Promise<boolean> {
  const since = sql<string>`coalesce((select catch_up_since from channels where ${isChannel(ref)}),
    (select away_since from runs), ${ts})`;
  return confirm(db, ref, { ts: since, over: sql`false` });
}

/** Sets the marks if there are none yet, or if `over` allows replacing them. */
function confirm(
  db: Db,
  { team, channel }: ChannelRef,
  { ts, over }: { ts: string | RawBuilder<string>; over: RawBuilder<unknown> },
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
export function laterMark(
  mark: 'confirmed_ts' | 'threads_ts',
  ts: string | RawBuilder<string>,
): RawBuilder<string> {
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

/** The WHERE that selects the rows of a folder, with casts so that SQLite plans it once: see claimJob. */
export function isOfFolder({ projectId, folderId }: Destination) {
  return sql<boolean>`(project_id = cast(${projectId} as bigint)
    and folder_id = cast(${folderId} as bigint))`;
}
