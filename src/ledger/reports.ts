import { type Insertable, sql } from 'kysely';
import { isOnItsWay, queueOf, type TransferState } from '../core/index.ts';
import { dropJobs } from './jobs.ts';
import { enqueueReport, makeReportDue } from './messages.ts';
import { atomically, COUNT } from './run-statements.ts';
import type { Db, ReportRow, Tables } from './schema.ts';
import { LEFT_IN_SLACK } from './steps.ts';
import { FILING, reschedule, UNCLAIMED } from './transfer.ts';

type NewReport = Pick<
  Insertable<Tables['reports']>,
  'team' | 'channel' | 'kind' | 'startedBy' | 'added'
>;

/**
 * Creates a report, one message in the channel that covers many shares, due at `dueAt`, by default
 * not before it changes; returns its identifier.
 */
export async function createReport(
  db: Db,
  { now, dueAt, ...report }: NewReport & { now: number; dueAt?: number },
): Promise<number> {
  const { id } = await db
    .insertInto('reports')
    .values({ ...report, startedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (dueAt !== undefined) await enqueueReport(db, id, dueAt);
  return id;
}

/** A report, and when its history is tried next: null while that is read, or there is none to read. */
export type Report = ReportRow & { nextTryAt: number | null };

export function findReport(db: Db, id: number): Promise<Report | undefined> {
  const nextTryAt = sql<number | null>`(select due_at from jobs
    where kind = 'backfill' and key = ${String(id)} and lease_token is null)`;
  const report = db.selectFrom('reports').selectAll().select(nextTryAt.as('nextTryAt'));
  return report.where('id', '=', id).executeTakeFirst();
}

/** Removes a report, if there is one, and its message, which is not posted or edited from then on. */
export async function dropReport(trx: Db, id: number | null): Promise<void> {
  if (id === null) return;
  await dropJobs(trx, 'message', sql`${`report/${id}`}`);
  const message = trx.deleteFrom('messages').where('kind', '=', 'report');
  await message.where('about', '=', id).execute();
  await trx.deleteFrom('reports').where('id', '=', id).execute();
}

/**
 * Returns how many of a report's transfers are in each state, the first few refused ones of each code,
 * and the first few filed ones once none is on its way.
 */
export async function filesOfReport(db: Db, reportId: number) {
  const rows = await ofReport(db, reportId)
    .select(['transfers.state', COUNT])
    .groupBy('transfers.state')
    .execute();
  const states: Partial<Record<TransferState, number>> = Object.fromEntries(
    rows.map((row) => [row.state, row.count]),
  );
  const isDone = !rows.some(({ state }) => isOnItsWay({ state }) && state !== 'created');
  return {
    states,
    refusals: states.refused ? await refusalsOf(db, reportId) : [],
    files: isDone ? await filedOf(db, reportId) : [],
  };
}

/**
 * Ends a report, and a backfill's reading: whoever reads loses the claim. Parks its unclaimed transfers
 * that are not being created.
 */
export function stopReport(db: Db, report: ReportRow, now: number): Promise<void> {
  const own = db.selectFrom('shares').select('id').where('reportId', '=', report.id);
  return atomically(db, async (trx) => {
    await dropJobs(trx, 'backfill', sql`${String(report.id)}`);
    const ended = sql<number>`case when reading is not null then 0 end`;
    const stopped = trx.updateTable('reports').set({ stopped: 1, reading: ended, problem: null });
    await stopped.where('id', '=', report.id).execute();
    const left = await trx
      .updateTable('transfers')
      .set(LEFT_IN_SLACK)
      .where('queue', '=', queueOf(report, 'past'))
      .where('shareId', 'in', own)
      .where(FILING)
      .where(UNCLAIMED)
      .returning('id')
      .execute();
    await reschedule(trx, left, { now });
    await makeReportDue(trx, report.id, now);
  });
}

/** Returns the first few filed files of a report, and where people open them. */
function filedOf(db: Db, reportId: number): Promise<{ name: string; url: string | null }[]> {
  return ofReport(db, reportId)
    .select(['transfers.name', 'transfers.recordUrl as url'])
    .where('transfers.state', 'in', ['filed', 'created'])
    .orderBy('transfers.id')
    .limit(LOOKED_AT)
    .execute();
}

/** Most files that are returned: of the filed ones, and of the refused ones per code. */
const LOOKED_AT = 20;

/** Selects the transfers that a report covers: those it found, not those that an edit added later. */
function ofReport(db: Db, reportId: number) {
  return db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .innerJoin('reports', 'reports.id', 'shares.reportId')
    .where('shares.reportId', '=', reportId)
    .where(sql<boolean>`case reports.kind when 'backfill' then transfers.queue like '%/past'
      else transfers.recorded_at = shares.recorded_at end`);
}

/**
 * Returns a report's refused files: the first few of each code, and with each how many of the
 * report's files were refused with that code (`alike`).
 */
function refusalsOf(db: Db, reportId: number) {
  const refused = ofReport(db, reportId)
    .select(['transfers.id', 'transfers.name', 'transfers.problem', 'transfers.problemNote'])
    .select([
      sql<number>`cast(count(*) over (partition by transfers.problem) as integer)`.as('alike'),
      sql<number>`row_number() over (partition by transfers.problem order by transfers.id)`.as(
        'nth',
      ),
    ])
    .where('transfers.state', '=', 'refused');
  return db
    .selectFrom(refused.as('refused'))
    .select(['name', 'problem', 'problemNote', 'alike'])
    .where('nth', '<=', LOOKED_AT)
    .orderBy('id')
    .execute();
}
