import { type Insertable, sql } from 'kysely';
import { queueOf, type TransferState } from '../transfers/index.ts';
import { makeReportDue } from './notifications.ts';
import { atomically, COUNT } from './run-statements.ts';
import type { Db, ReportRow, Tables } from './schema.ts';
import { LEFT_IN_SLACK } from './steps.ts';
import { FILING } from './transfer.ts';

type NewReport = Pick<
  Insertable<Tables['reports']>,
  'team' | 'channel' | 'kind' | 'startedBy' | 'added' | 'dueAt'
>;

/** Creates a report, one message in the channel that covers many shares; returns its identifier. */
export async function createReport(
  db: Db,
  { now, ...report }: NewReport & { now: number },
): Promise<number> {
  const { id } = await db
    .insertInto('reports')
    .values({ ...report, startedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function findReport(db: Db, id: number): Promise<ReportRow | undefined> {
  return db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirst();
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
    await trx
      .updateTable('readings')
      .set({ dueAt: null, leaseToken: null, problem: null })
      .where('reportId', '=', report.id)
      .execute();
    await trx
      .updateTable('transfers')
      .set({ ...LEFT_IN_SLACK, leaseToken: null })
      .where('queue', '=', queueOf(report, 'past'))
      // A claim that only looks for a file has sent nothing, and is revoked.
      .where(sql<boolean>`(lease_token is null or earlier is not null)`)
      .where('shareId', 'in', own)
      .where(FILING)
      .execute();
    await makeReportDue(trx, report.id, { now, stopped: 1 });
  });
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
