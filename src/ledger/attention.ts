import { type RawBuilder, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { type ChannelRef, channelOf, isOfSaved, queueOf, queuesOf } from '../transfers/index.ts';
import { updateTransfers } from './notifications.ts';
import { COUNT, countOf, inChunks } from './run-statements.ts';
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
}

// Nobody misses files that were deleted in Slack.
const TROUBLED = sql<boolean>`(problem is not null and problem <> 'SLACK_FILE_DELETED')`;

/** Returns the troubles in these channels of a workspace, or in all, by channel and problem. */
export function listTroubles(
  db: Db,
  team: string,
  channels: readonly string[] | null = null,
): Promise<Trouble[]> {
  if (channels === null) return troublesIn(db, team, sql`true`);
  return inChunks(channels, (some) => {
    const queues = some.flatMap((channel) => queuesOf({ team, channel }));
    return troublesIn(db, team, sql`queue in (${sql.join(queues)})`);
  });
}

async function troublesIn(db: Db, team: string, which: RawBuilder<boolean>): Promise<Trouble[]> {
  const kind = sql<'refused' | 'waiting'>`case state when 'refused' then state else 'waiting' end`;
  const troubled = await db
    .selectFrom('transfers')
    .select(['queue', 'problem', kind.as('kind'), ...ALIKE])
    .select((eb) => eb.fn.min('nextTryAt').as('nextTryAt'))
    .where(which)
    .where(TROUBLED)
    .where('state', '<>', sql.lit('created'))
    .groupBy(['queue', kind, 'problem'])
    .execute();
  const parked = await db
    .selectFrom('transfers')
    .select(['queue', ...ALIKE])
    .where(which)
    .where('state', '=', sql.lit('parked'))
    .where('projectId', 'is', null)
    .groupBy('queue')
    .execute();
  const waiting = { kind: 'parked', problem: null, nextTryAt: null } as const;
  return [...troubled, ...parked.map((row) => ({ ...row, ...waiting }))]
    .filter(({ queue }) => queue.startsWith(queueOf({ team, channel: '' })))
    .map(({ queue, ...row }) => ({
      ...row,
      channel: channelOf(queue).channel,
      isSaved: isOfSaved(queue),
    }));
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

/**
 * Leaves in Slack a channel's files that are refused, or failed and are tried again, except those
 * that may be in the folder and those that are claimed. Returns how many files.
 */
export function parkTroubled(db: Db, ref: ChannelRef, now: number): Promise<number> {
  const unsent = db.updateTable('transfers').where(TROUBLED).where(UNSENT);
  const left = unsent.where('queue', 'in', queuesOf(ref)).where(UNCLAIMED);
  return updateTransfers(db, now, left.set(LEFT_IN_SLACK));
}
