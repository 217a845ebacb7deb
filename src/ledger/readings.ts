import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { ChannelRef, Destination } from '../transfers/index.ts';
import { confirmFirst, findLink, laterMark } from './channels.ts';
import { type Claim, dropJobs, endJob, enqueue, enqueueAll, NO_QUEUE } from './jobs.ts';
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

/**
 * Returns the reading of a backfill's report, and when it is tried next: null while it reads or has
 * ended. Undefined for other reports.
 */
export function findReading(
  db: Db,
  reportId: number,
): Promise<(ReadingRow & { nextTryAt: number | null }) | undefined> {
  const nextTryAt = sql<number | null>`(select due_at from jobs
    where kind = 'backfill' and key = cast(readings.id as text) and lease_token is null)`;
  const reading = db.selectFrom('readings').selectAll().select(nextTryAt.as('nextTryAt'));
  return reading.where('reportId', '=', reportId).executeTakeFirst();
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
        rows.push({ team, channel, since });
    await inChunks(rows, (some) => insertCatchUps(trx, some, now));
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

async function insertCatchUps(
  trx: Db,
  rows: Insertable<Tables['readings']>[],
  now: number,
): Promise<void> {
  await trx
    .insertInto('readings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['team', 'channel']).where('reportId', 'is', null).doNothing(),
    )
    .execute();
  const channels = sql.join(rows.map(({ team, channel }) => sql`(${team}, ${channel})`));
  await enqueueCatchUps(trx, sql`(team, channel) in (values ${channels})`, now);
}

// A waiting one keeps its place: a round may outlast the interval between rounds.
function enqueueCatchUps(trx: Db, which: RawBuilder<unknown>, now: number): Promise<void> {
  return enqueueAll(
    trx,
    sql`select 'catch-up', cast(id as text), cast(null as text), ${NO_QUEUE}, cast(${now} as bigint)
      from readings where report_id is null and ${which} order by id`,
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
export function finishCatchUp(db: Db, claim: Claim, caughtUp: CaughtUp): Promise<void> {
  return atomically(db, async (trx) => {
    // Behind the channels that are due already.
    const dueAt = caughtUp.read === 'newest, rest due' ? caughtUp.now + 1 : null;
    if (!(await endJob(trx, claim, { dueAt }))) return;
    const read = trx.updateTable('readings').set({ problem: null }).where('id', '=', claim.id);
    const row = await read.returning(['team', 'channel']).executeTakeFirst();
    if (!row) return;
    await moveMarks(trx, row, caughtUp);
    if (caughtUp.isInterrupted) await readRestOfOthers(trx, claim, { ...row, ...caughtUp });
  });
}

async function readRestOfOthers(
  trx: Db,
  { id }: Claim,
  { team, now }: Pick<ReadingRow, 'team'> & Pick<CaughtUp, 'now'>,
): Promise<void> {
  const others = trx.updateTable('channels').set({ restDue: 'later' }).where('team', '=', team);
  await others.where('confirmedTs', 'is not', null).where('restDue', 'is', null).execute();
  await enqueueCatchUps(trx, sql`team = ${team} and id <> ${id}`, now);
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
      .values({ team, channel, reportId })
      .onConflict((conflict) => conflict.doNothing());
    const begun = await reading.returning('id').executeTakeFirst();
    if (begun) return enqueue(trx, { kind: 'backfill', key: String(begun.id), dueAt: now });
    await dropJobs(trx, 'report', sql`${String(reportId)}`);
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
    .select(['stopped', 'startedAt', 'readings.ended'])
    .where('reports.team', '=', ref.team)
    .where('reports.channel', '=', ref.channel)
    .orderBy('reports.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last || last.stopped) return false;
  if (!last.ended) return true;
  const link = await findLink(db, ref);
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
    if (!(await endJob(trx, claim, { dueAt: null }))) return false;
    const read = await trx
      .updateTable('readings')
      .set({ ended: 1, problem: null })
      .where('id', '=', claim.id)
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
export function markReadTo(db: Db, { id, token }: Claim, readTo: string): Promise<boolean> {
  return atomically(db, async (trx) => {
    const progress = trx.updateTable('jobs').set({ attempts: 1 }).where('leaseToken', '=', token);
    if (!(await anyRow(progress.returning('key')))) return false;
    const read = trx.updateTable('readings').set({ readTo, problem: null });
    await read.where('id', '=', id).execute();
    return true;
  });
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
    if (!(await endJob(trx, claim, { dueAt, unfinished: true }))) return;
    const row = await trx
      .updateTable('readings')
      .set({ problem, ended: dueAt === null ? 1 : 0 })
      .where('id', '=', claim.id)
      .returning('reportId')
      .executeTakeFirst();
    if (!row?.reportId) return;
    if (dueAt !== null) return noteReportChanged(trx, row.reportId, now);
    await makeReportDue(trx, row.reportId, { now, stopped: 1 });
  });
}
