import { sql } from 'kysely';
import { type ChannelRef, channelOf, queueOf } from '../core/index.ts';
import { confirmFirst, isChannel, laterMark } from './channels.ts';
import { endJob, enqueueAll, type JobClaim, NO_QUEUE } from './jobs.ts';
import { atomically, inChunks } from './run-statements.ts';
import { theRun } from './runs.ts';
import type { Db } from './schema.ts';

/*
 * A channel's history is read for shares that no event brought: it is caught up. Only one instance
 * reads a channel at a time: two would report the same shares twice.
 */

interface CatchUp {
  team: string;
  /** The channels that may hold shares that no event brought. */
  channels: string[];
  /** Whether these are all channels that the bot is in. */
  all: boolean;
  /** When the channels were listed; the start, as in beginRun, before they first were. */
  begunTs: string;
  /** Whether events may be missing: then more than the newest page is read, later. */
  isInterrupted: boolean;
  now: number;
}

/**
 * Requests catch-ups: each channel is due at once, or again after the reading under way. A new
 * channel is read from where all others were last listed. Until the very first listing, history is
 * only marked as confirmed, up to the start: a backfill is offered for it.
 */
export function requestCatchUp(
  db: Db,
  { team, channels, all, begunTs, isInterrupted, now }: CatchUp,
): Promise<void> {
  return atomically(db, async (trx) => {
    const run = await trx.selectFrom('runs').select('awaySince').executeTakeFirst();
    const since = run?.awaySince ?? begunTs;
    const isFirst = since === begunTs;
    // Slack may list one twice.
    const listed = [...new Set(channels)];
    const due: string[] = [];
    for (const channel of listed)
      if (!isFirst || !(await confirmFirst(trx, { team, channel }, begunTs))) due.push(channel);
    // Jobs before channels, as the end of a run locks them.
    await enqueueCatchUps(trx, team, { channels: due, now });
    // The newest pages of all channels first.
    const requested = { catchUpSince: since, restDue: isInterrupted ? ('later' as const) : null };
    await inChunks(listed, (some) =>
      noteRequested(
        trx,
        some.map((channel) => ({ team, channel, ...requested })),
      ),
    );
    if (all || isFirst) await theRun(trx).set({ awaySince: begunTs }).execute();
  });
}

async function noteRequested(
  trx: Db,
  rows: (ChannelRef & { catchUpSince: string; restDue: 'later' | null })[],
): Promise<void> {
  await trx
    .insertInto('channels')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['team', 'channel']).doUpdateSet({
        catchUpSince: sql`coalesce(channels.catch_up_since, excluded.catch_up_since)`,
        restDue: sql`coalesce(excluded.rest_due, channels.rest_due)`,
      }),
    )
    .execute();
}

// A waiting one keeps its place: a round may outlast the interval between rounds.
async function enqueueCatchUps(
  trx: Db,
  team: string,
  { channels, now }: { channels: readonly string[]; now: number },
): Promise<void> {
  // All in one order, so that two callers never wait for each other.
  const keys = channels.map((channel) => queueOf({ team, channel })).sort();
  await inChunks(keys, (some) =>
    enqueueAll(
      trx,
      sql`select 'catch-up', column1, cast(null as text), ${NO_QUEUE}, cast(${now} as bigint)
        from (values ${sql.join(some.map((key) => sql`(${key})`))}) as due`,
    ),
  );
}

interface CaughtUp {
  /** The channel's history is confirmed up to here; null if its newest page was not all of it. */
  confirmedTs: string | null;
  /** The same for its threads, if they were read; else where they are to be read from. */
  threadsTs: string;
  /** Whether all was read, `all`; or the newest page, and the rest is to be read, or not. */
  read: 'all' | 'newest, rest due' | 'newest';
  /** Whether events were missed that no interruption explains: others may be missing elsewhere. */
  isInterrupted: boolean;
  now: number;
}

/**
 * Ends the claim of a channel that was read, and moves its marks. It is due again for its rest, or if
 * requested since; after an interruption all others are, too. Does nothing when the lease is lost.
 */
export function finishCatchUp(db: Db, claim: JobClaim, caughtUp: CaughtUp): Promise<void> {
  return atomically(db, async (trx) => {
    // Behind the channels that are due already.
    const dueAt = caughtUp.read === 'newest, rest due' ? caughtUp.now + 1 : null;
    const job = await endJob(trx, claim, { dueAt });
    if (!job) return;
    const channel = channelOf(job.key);
    await moveMarks(trx, channel, caughtUp);
    if (caughtUp.isInterrupted) await readRestOfOthers(trx, channel, caughtUp.now);
  });
}

async function readRestOfOthers(
  trx: Db,
  { team, channel: own }: ChannelRef,
  now: number,
): Promise<void> {
  const requested = trx.selectFrom('channels').select('channel').where('team', '=', team);
  const rows = await requested.where('catchUpSince', 'is not', null).execute();
  const channels = rows.map(({ channel }) => channel).filter((channel) => channel !== own);
  await enqueueCatchUps(trx, team, { channels, now });
  const others = trx.updateTable('channels').set({ restDue: 'later' }).where('team', '=', team);
  await others.where('confirmedTs', 'is not', null).where('restDue', 'is', null).execute();
}

async function moveMarks(
  trx: Db,
  ref: ChannelRef,
  { confirmedTs, threadsTs, read }: CaughtUp,
): Promise<void> {
  // Unless the rest was requested since.
  const restRead = sql<null>`case when rest_due = 'next' then null else rest_due end`;
  const marks = trx.updateTable('channels').set({
    ...(confirmedTs !== null && { confirmedTs: laterMark('confirmed_ts', confirmedTs) }),
    threadsTs:
      read === 'all'
        ? laterMark('threads_ts', threadsTs)
        : sql<string>`coalesce(threads_ts, ${threadsTs})`,
    ...(read === 'newest, rest due' && { restDue: 'next' }),
    ...(read === 'all' && { restDue: restRead }),
  });
  await marks.where(isChannel(ref)).execute();
}
