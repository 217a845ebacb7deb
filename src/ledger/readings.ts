import { type Insertable, sql } from 'kysely';
import type { ChannelRef, Destination } from '../transfers/index.ts';
import { confirmFirst, findLinks, laterMark } from './channels.ts';
import { type Claim, ENDED, held } from './lease.ts';
import { makeReportDue, noteReportChanged } from './notifications.ts';
import { createReport } from './reports.ts';
import { anyRow, atomically, inChunks } from './run-statements.ts';
import { theRun } from './runs.ts';
import type { Db, ReadingRow, Tables } from './schema.ts';
import { countParked, parked, sendUnderReport } from './waiting-files.ts';

/**
 * A channel's history is read as a catch-up, for shares that no event brought, or as a backfill,
 * for what the channel held before it was linked. Only one instance reads at a time: two would
 * report the same shares twice.
 *
 * A backfill reads the newest page first, under one report, and records what it finds as parked;
 * when all is read, it sends the parked files on their way, oldest first.
 */
export type ReadingKind = 'catch-up' | 'backfill';

/** Returns the reading of a backfill's report; undefined for other reports. */
export function findReading(db: Db, reportId: number): Promise<ReadingRow | undefined> {
  return db.selectFrom('readings').selectAll().where('reportId', '=', reportId).executeTakeFirst();
}

interface CatchUp {
  team: string;
  /** The channels that may hold shares that no event brought. */
  channels: string[];
  /** Whether these are all channels that the bot is in. */
  all: boolean;
  /** When the channels were listed; the start, as in beginCatchUps, before they first were. */
  begunTs: string;
  /** Whether events may be missing: then more than the newest page is read, later. */
  isInterrupted: boolean;
  now: number;
}

/** Starts catch-ups at `ts`, unless a process started them before: it may have been interrupted. */
export async function beginCatchUps(db: Db, ts: string): Promise<void> {
  await theRun(db).set({ awaySince: ts }).where('awaySince', 'is', null).execute();
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
    const rows: Insertable<Tables['readings']>[] = [];
    for (const channel of channels)
      if (!isFirst || !(await confirmFirst(trx, { team, channel }, begunTs)))
        rows.push({ team, channel, since, neededAt: now, dueAt: now });
    await inChunks(rows, (some) => insertCatchUps(trx, some));
    if (isInterrupted) await inChunks(channels, (some) => readRestLater(trx, team, some));
    if (all || isFirst) await theRun(trx).set({ awaySince: begunTs }).execute();
  });
}

/**
 * Returns the message after which a channel without a confirmed one is, or will be, caught up; null
 * before the channels were first listed.
 */
export async function catchUpSince(db: Db, { team, channel }: ChannelRef): Promise<string | null> {
  const row = await db
    .selectFrom('runs')
    .leftJoin('readings', (join) =>
      join.on('team', '=', team).on('channel', '=', channel).on('reportId', 'is', null),
    )
    .select((eb) => eb.fn.coalesce('since', 'awaySince').as('since'))
    .executeTakeFirst();
  return row?.since ?? null;
}

// The newest pages of all channels first.
function readRestLater(trx: Db, team: string, channels: readonly string[]) {
  return trx
    .updateTable('channels')
    .set({ restDue: 'later' })
    .where('team', '=', team)
    .where('channel', 'in', channels)
    .returning('channel')
    .execute();
}

function insertCatchUps(trx: Db, rows: Insertable<Tables['readings']>[]) {
  return trx
    .insertInto('readings')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .where('reportId', 'is', null)
        .doUpdateSet((eb) => ({
          neededAt: eb.ref('excluded.neededAt'),
          // A waiting row keeps its place: a round may outlast the interval between rounds.
          dueAt: sql<number>`case
            when readings.lease_token is not null or readings.due_at < excluded.needed_at
            then readings.due_at else excluded.needed_at end`,
        })),
    )
    .execute();
}

interface CaughtUp {
  readAt: number;
  /** The channel's history is confirmed up to here; null if its newest page was not all of it. */
  confirmedTs: string | null;
  /** The same for its threads, if they were read; else where they are to be read from. */
  threadsTs: string;
  /** Whether all was read, `all`; or the newest page, and the rest is to be read, or not. */
  read: 'all' | 'newest, rest due' | 'newest';
  now: number;
}

/**
 * Ends the claim of a channel that was read at `readAt`, and moves its marks. It is due again for
 * its rest; or if requested since, but only once if a
 * clock that was ahead wrote the request's time. Does nothing when the lease is lost.
 */
export function finishCatchUp(db: Db, claim: Claim, caughtUp: CaughtUp): Promise<void> {
  return atomically(db, async (trx) => {
    const row = await endCatchUp(trx, claim, caughtUp);
    if (row) await moveMarks(trx, row, caughtUp);
  });
}

async function moveMarks(
  trx: Db,
  { team, channel }: ChannelRef,
  { confirmedTs, threadsTs, read }: CaughtUp,
): Promise<void> {
  const isRestDue = read === 'newest, rest due';
  // Unless the rest was requested since.
  const restRead = sql<null>`case when channels.rest_due = 'next' then null else channels.rest_due end`;
  const restDue = isRestDue ? ('next' as const) : null;
  await trx
    .insertInto('channels')
    .values({ team, channel, confirmedTs, threadsTs, restDue })
    .onConflict((conflict) =>
      conflict.columns(['team', 'channel']).doUpdateSet({
        ...(confirmedTs !== null && { confirmedTs: laterMark('confirmed_ts', confirmedTs) }),
        threadsTs:
          read === 'all'
            ? laterMark('threads_ts', threadsTs)
            : sql<string>`coalesce(channels.threads_ts, ${threadsTs})`,
        ...(isRestDue && { restDue }),
        ...(read === 'all' && { restDue: restRead }),
      }),
    )
    .execute();
}

function endCatchUp(trx: Db, claim: Claim, { readAt, read, now }: CaughtUp) {
  const neededAt = sql<number>`case when needed_at > ${now} then cast(${now} as bigint) else needed_at end`;
  const again = sql<number>`case when needed_at > ${readAt} then ${neededAt} end`;
  return held(trx, 'readings', claim)
    .set({
      ...ENDED,
      problem: null,
      neededAt,
      // Behind the channels that are due already.
      dueAt: read === 'newest, rest due' ? now + 1 : again,
    })
    .returning(['team', 'channel'])
    .executeTakeFirst();
}

/** How long a report is held back, in milliseconds: it may be complete by then. */
const QUICK_MS = 1_000;

/**
 * Begins a backfill, unless one is already reading the channel's history. Its report outlives the
 * process: the next process continues.
 */
export function beginBackfill(
  db: Db,
  { team, channel }: ChannelRef,
  { startedBy, now }: { startedBy: string; now: number },
): Promise<void> {
  return atomically(db, async (trx) => {
    const report = { team, channel, kind: 'backfill', startedBy, dueAt: now + QUICK_MS } as const;
    const reportId = await createReport(trx, { ...report, now });
    const reading = trx
      .insertInto('readings')
      .values({ team, channel, reportId, dueAt: now })
      .onConflict((conflict) => conflict.doNothing());
    if (!(await anyRow(reading.returning('id'))))
      await trx.deleteFrom('reports').where('id', '=', reportId).execute();
  });
}

/**
 * Returns whether a channel's past is being filed, or was filed completely since it was linked. It
 * is incomplete where a backfill was stopped or somebody skipped files.
 */
export async function isBackfilled(db: Db, ref: ChannelRef): Promise<boolean> {
  const last = await db
    .selectFrom('reports')
    .innerJoin('readings', 'readings.reportId', 'reports.id')
    .select(['stopped', 'startedAt', 'readings.dueAt as readingDueAt'])
    .where('reports.team', '=', ref.team)
    .where('reports.channel', '=', ref.channel)
    .orderBy('reports.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last || last.stopped) return false;
  if (last.readingDueAt !== null) return true;
  const [link] = await findLinks(db, [ref]);
  const isSinceLinked = last.startedAt >= (link?.linkedAt ?? 0);
  return isSinceLinked && (await countParked(db, ref, 'past')) === 0;
}

/**
 * Ends the reading and sends the channel's parked past on its way, oldest first, also what an
 * earlier backfill was stopped at. Resolves with false, with nothing done, when the claim is lost.
 */
export function fileBackfill(
  db: Db,
  claim: Claim,
  { destination, now }: { destination: Destination; now: number },
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const read = await held(trx, 'readings', claim)
      .set({ dueAt: null, leaseToken: null, problem: null })
      .returning(['team', 'channel', 'reportId'])
      .executeTakeFirst();
    if (!read?.reportId) return false;
    const { reportId, ...ref } = read;
    await sendUnderReport(trx, parked(ref, 'past'), { ...ref, reportId, destination, now });
    return true;
  });
}

/**
 * Records that the ledger has what came after `readTo`. Resolves with false when the claim is lost:
 * the reading was stopped, or another worker has it.
 */
export function markReadTo(db: Db, claim: Claim, readTo: string): Promise<boolean> {
  const read = { readTo, problem: null, attempts: 1 };
  return anyRow(held(db, 'readings', claim).set(read).returning('id'));
}

interface FailedReading {
  /** Slack's error code for its refusal, else an ErrorCode; null if the channel has no folder. */
  problem: string | null;
  /** When it is tried again; null for never: a backfill then ends, and its files stay parked. */
  dueAt: number | null;
  now: number;
}

/** Ends a claim with a failure. */
export function failReading(
  db: Db,
  claim: Claim,
  { problem, dueAt, now }: FailedReading,
): Promise<void> {
  return atomically(db, async (trx) => {
    const row = await held(trx, 'readings', claim)
      .set({ dueAt, leaseToken: null, problem })
      .returning('reportId')
      .executeTakeFirst();
    if (!row?.reportId) return;
    if (dueAt !== null) return noteReportChanged(trx, row.reportId, now);
    await makeReportDue(trx, row.reportId, { now, stopped: 1 });
  });
}
