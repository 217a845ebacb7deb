import { type Insertable, sql } from 'kysely';
import { queueOf, type TransferState } from '../transfers/index.ts';
import { dropJobs } from './jobs.ts';
import { enqueueReport, makeReportDue } from './notifications.ts';
import { anyRow, atomically, COUNT } from './run-statements.ts';
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

/** Returns a report, and whether its message is due or being posted; undefined for none. */
export async function findReport(
  db: Db,
  id: number,
): Promise<(ReportRow & { isDue: boolean }) | undefined> {
  const row = await db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirst();
  const job = db.selectFrom('jobs').select('key').where('kind', '=', 'report');
  return row && { ...row, isDue: await anyRow(job.where('key', '=', String(id))) };
}

/** Returns how many of a report's transfers are in each state. */
export async function countReport(
  db: Db,
  reportId: number,
): Promise<Partial<Record<TransferState, number>>> {
  const rows = await ofReport(db, reportId)
    .select(['transfers.state', COUNT])
    .groupBy('transfers.state')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

/** Ends a report and its reading: parks its unclaimed transfers that are not being created. */
export function stopReport(db: Db, report: ReportRow, now: number): Promise<void> {
  const own = db.selectFrom('shares').select('id').where('reportId', '=', report.id);
  return atomically(db, async (trx) => {
    await endBackfill(trx, report.id);
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
    await makeReportDue(trx, report.id, { now, stopped: 1 });
  });
}

/** Ends the reading of a report: whoever reads loses the claim. */
async function endBackfill(trx: Db, reportId: number): Promise<void> {
  const reading = trx.updateTable('readings').set({ ended: 1, problem: null });
  const ended = reading.where('reportId', '=', reportId).returning('id');
  for (const { id } of await ended.execute()) await dropJobs(trx, 'backfill', sql`${String(id)}`);
}

/** Returns the first few filed files of a report, and where people open them. */
export async function filedOfReport(
  db: Db,
  reportId: number,
): Promise<{ name: string; url: string | null }[]> {
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
export function refusalsOfReport(db: Db, reportId: number) {
  const refused = ofReport(db, reportId)
    .select(['transfers.id', 'transfers.name', 'transfers.problem', 'transfers.problemNote'])
    .select([
      sql<number>`cast(count(*) over (partition by problem) as integer)`.as('alike'),
      sql<number>`row_number() over (partition by problem order by transfers.id)`.as('nth'),
    ])
    .where('transfers.state', '=', 'refused');
  return db
    .selectFrom(refused.as('refused'))
    .select(['name', 'problem', 'problemNote', 'alike'])
    .where('nth', '<=', LOOKED_AT)
    .orderBy('id')
    .execute();
}
