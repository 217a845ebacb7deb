import { type RawBuilder, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  type ChannelRef,
  channelOf,
  type Destination,
  isOfSaved,
  queueOf,
  queuesOf,
  type TransferState,
} from '../core/index.ts';
import { updateTransfers } from './messages.ts';
import { atomically, COUNT, countOf, inChunks } from './run-statements.ts';
import type { Db } from './schema.ts';
import { LEFT_IN_SLACK } from './steps.ts';
import { ON_THEIR_WAY, UNCLAIMED, UNSENT } from './transfer.ts';

/*
 * Files that need a person, or will if nothing changes: refused ones, ones that failed and are
 * tried again, and ones that wait for their channel to be linked.
 */

/** Files of a channel's queue that have the same kind and problem. */
export interface Trouble {
  channel: string;
  /** `waiting`: tried again automatically; `parked`: not filed, as the channel has no folder. */
  kind: 'refused' | 'waiting' | 'parked';
  problem: ErrorCode | null;
  count: number;
  /** The name of one of them. */
  name: string;
  /** When the first of the waiting ones is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Whether somebody saved them to their folder by hand. */
  isSaved: boolean;
  /** How many of them are the asker's own: see `ownerOf`. */
  own: number;
  /** Whether they may be in their folder, as far as it is known. */
  mayBeThere: boolean;
}

/** Selects the files that are parked because their channel has no folder. */
const FOR_WANT = sql<boolean>`(state = 'parked' and left_in_slack = 0)`;

// Nobody misses files that were deleted in Slack, or that somebody left there.
const TROUBLED = sql<boolean>`(problem is not null and problem <> 'SLACK_FILE_DELETED'
  and left_in_slack = 0)`;

/** Selects, of the files that may be in their folder, those that looks do not tell of. */
const MAY_BE_LEFT = sql<boolean>`(state = 'refused'
  or (state = 'creating' and problem = 'RECORD_UNCLEAR'))`;

/** Whose a file is: see `ownerOf`. */
const OWNER = sql`coalesce((select saved_by from shares where shares.id = share_id), user_id)`;

/** Who asks, and in which workspace. */
interface Asker {
  team: string;
  userId: string;
}

/** Returns the troubles in these channels of a workspace, or in all, by channel and problem. */
export function listTroubles(
  db: Db,
  asker: Asker,
  channels: readonly string[] | null = null,
): Promise<Trouble[]> {
  if (channels === null) return troublesIn(db, asker, sql`true`);
  return inChunks(channels, (some) => {
    const queues = some.flatMap((channel) => queuesOf({ team: asker.team, channel }));
    return troublesIn(db, asker, sql`queue in (${sql.join(queues)})`);
  });
}

async function troublesIn(
  db: Db,
  { team, userId }: Asker,
  which: RawBuilder<boolean>,
): Promise<Trouble[]> {
  const kind = sql<'refused' | 'waiting'>`case state when 'refused' then state else 'waiting' end`;
  const isUnsent = sql<number>`cast(${UNSENT} as integer)`;
  const troubled = await db
    .selectFrom('transfers')
    .select(['queue', 'problem', kind.as('kind'), isUnsent.as('isUnsent')])
    .select([...ALIKE, ownCount(OWNER, userId)])
    .select((eb) => eb.fn.min('nextTryAt').as('nextTryAt'))
    .where(which)
    .where(TROUBLED)
    .where('state', '<>', sql.lit('created'))
    .groupBy(['queue', kind, 'problem', isUnsent])
    .execute();
  const parked = await db
    .selectFrom('transfers')
    // The owner in the row: an index serves it all.
    .select(['queue', ...ALIKE, ownCount(sql`user_id`, userId)])
    .where(which)
    .where(FOR_WANT)
    .groupBy('queue')
    .execute();
  const waiting = { kind: 'parked', problem: null, nextTryAt: null, isUnsent: 1 } as const;
  return [...troubled, ...parked.map((row) => ({ ...row, ...waiting }))]
    .filter(({ queue }) => queue.startsWith(queueOf({ team, channel: '' })))
    .map(({ queue, isUnsent: unsent, ...row }) => ({
      ...row,
      channel: channelOf(queue).channel,
      isSaved: isOfSaved(queue),
      mayBeThere: unsent !== 1,
    }));
}

function ownCount(owner: RawBuilder<unknown>, userId: string) {
  const own = sql<number>`cast(sum(case when ${owner} = ${userId} then 1 else 0 end) as integer)`;
  return own.as('own');
}

const ALIKE = [COUNT, sql<string>`min(name)`.as('name')] as const;

/** Returns how many files could not be filed and need a person, in all workspaces. */
export function countRefused(db: Db): Promise<number> {
  const refused = db.selectFrom('transfers').where(TROUBLED);
  return countOf(refused.where('state', '=', sql.lit('refused')));
}

/** Most files in progress that are counted. */
export const MAX_IN_HAND = 10_000;

/** Returns how many files are in progress without trouble, by channel; at most MAX_IN_HAND in all. */
export async function countInHand(db: Db, team: string): Promise<Map<string, number>> {
  const open = db
    .selectFrom('transfers')
    .select('queue')
    .where(ON_THEIR_WAY)
    .where('problem', 'is', null)
    .limit(MAX_IN_HAND)
    .as('open');
  const rows = await db.selectFrom(open).select(['queue', COUNT]).groupBy('queue').execute();
  const counts = new Map<string, number>();
  for (const { queue, count } of rows) {
    const { channel, team: own } = channelOf(queue);
    if (own === team) counts.set(channel, (counts.get(channel) ?? 0) + count);
  }
  return counts;
}

/** Returns a channel's shares with files that are refused, or failed and are tried again. */
export function troubledShares(db: Db, ref: ChannelRef): Promise<{ id: number }[]> {
  return db
    .selectFrom('transfers')
    .select('shareId as id')
    .distinct()
    .where('queue', 'in', queuesOf(ref))
    .where(TROUBLED)
    .orderBy('shareId')
    .execute();
}

interface LeaveTroubled {
  /** Whose files, by Slack ID. Default: everybody's. */
  userId?: string | null;
  /** Whether files that were parked for want of a folder are left too. */
  parkedToo: boolean;
  now: number;
}

/**
 * Leaves in Slack a channel's files that are refused, or failed and are tried again, except those that
 * are claimed, and those of which a look at their folder will tell more. Returns how many files.
 */
export function leaveTroubled(
  db: Db,
  ref: ChannelRef,
  { userId = null, parkedToo, now }: LeaveTroubled,
): Promise<number> {
  const theirs = userId === null ? sql<boolean>`true` : sql<boolean>`${OWNER} = ${userId}`;
  return atomically(db, async (trx) => {
    const update = trx.updateTable('transfers').where('queue', 'in', queuesOf(ref)).where(theirs);
    const left = update.set(LEFT_IN_SLACK);
    const unsent = left.where(TROUBLED).where(UNSENT).where(UNCLAIMED);
    // What may be in its folder is refused, which keeps others like it from being filed twice.
    const refusedIn = sql<TransferState>`case state when 'refused' then refused_in else state end`;
    const set = { state: 'refused', refusedIn, nextTryAt: null, leftInSlack: 1 } as const;
    const unclear = update.set(set).where(TROUBLED).where(MAY_BE_LEFT);
    return (
      (await updateTransfers(trx, now, unsent)) +
      (await updateTransfers(trx, now, unclear)) +
      (parkedToo ? await updateTransfers(trx, now, left.where(FOR_WANT)) : 0)
    );
  });
}

/** A filed file, and when it was shared. */
export interface RecentFile {
  name: string;
  /** Where people open it; null if the service did not say. */
  recordUrl: string | null;
  destination: Destination;
  /** Epoch milliseconds. */
  sharedAt: number;
}

/** Returns the filed files that a person shared in a workspace, last ones first. */
export async function recentFiles(
  db: Db,
  { team, userId }: { team: string; userId: string },
  limit: number,
): Promise<RecentFile[]> {
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['transfers.name', 'recordUrl', 'ts', 'projectId', 'folderId'])
    .where('transfers.userId', '=', userId)
    .where('state', '=', sql.lit('filed'))
    .where('team', '=', team)
    .orderBy('transfers.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ ts, projectId, folderId, ...file }) => ({
    ...file,
    destination: { projectId: projectId ?? 0, folderId: folderId ?? 0 },
    sharedAt: Number(ts) * 1_000,
  }));
}
