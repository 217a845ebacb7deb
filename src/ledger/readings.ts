import { type Insertable, sql } from 'kysely';
import type { ChannelRef, Destination } from '../transfers/index.ts';
import { confirmFirst, findLink } from './channels.ts';
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
export async function findReading(
  db: Db,
  reportId: number,
): Promise<(ReadingRow & { nextTryAt: number | null }) | undefined> {
  const key = sql<string>`cast(readings.id as text)`;
  const row = await db
    .selectFrom('readings')
    .leftJoin('jobs', (join) => join.on('jobs.kind', '=', 'backfill').on('jobs.key', '=', key))
    .selectAll('readings')
    .select(['jobs.dueAt', 'jobs.leaseToken'])
    .where('reportId', '=', reportId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { dueAt, leaseToken, ...reading } = row;
  return { ...reading, nextTryAt: leaseToken === null ? dueAt : null };
}

interface CatchUp {
  team: string;
  /** The channels that may hold shares that no event brought. */
  channels: string[];
  /** Whether these are all channels that the bot is in. */
  all: boolean;
  /** A timestamp before any current message: channels new at the next call are read from here. */
  begunTs: string;
  now: number;
}

/** Starts catch-ups at `ts`, unless a process started them before: it may have been interrupted. */
export async function beginCatchUps(db: Db, ts: string): Promise<void> {
  await theRun(db).set({ awaySince: ts }).where('awaySince', 'is', null).execute();
}

/**
 * Requests catch-ups: each channel is due at once, or again after the reading under way. A new
 * channel is read from where all others were last listed. At the very first listing, history is
 * only marked as confirmed; a backfill is offered for it.
 */
export function requestCatchUp(
  db: Db,
  { team, channels, all, begunTs, now }: CatchUp,
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

async function insertCatchUps(
  trx: Db,
  rows: Insertable<Tables['readings']>[],
  now: number,
): Promise<never[]> {
  await trx
    .insertInto('readings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['team', 'channel']).where('reportId', 'is', null).doNothing(),
    )
    .execute();
  const channels = sql.join(rows.map(({ team, channel }) => sql`(${team}, ${channel})`));
  // A waiting one keeps its place: a round may outlast the interval between rounds.
  await enqueueAll(
    trx,
    sql`select 'catch-up', cast(id as text), cast(null as text), ${NO_QUEUE}, cast(${now} as bigint)
      from readings where report_id is null and (team, channel) in (values ${channels}) order by id`,
  );
  return [];
}

/** Ends the claim of a channel that was read; it is due again if requested since. */
export async function finishCatchUp(db: Db, claim: Claim): Promise<void> {
  await atomically(db, async (trx) => {
    if (!(await endJob(trx, claim, { dueAt: null }))) return;
    await trx.updateTable('readings').set({ problem: null }).where('id', '=', claim.id).execute();
  });
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
