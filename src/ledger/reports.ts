import { type Kysely, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { type Destination, queueOf, type TransferState } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import type { ReportRow } from './rows.ts';
import type { Tables } from './schema.ts';
import { reportChanged } from './tellings.ts';

export interface NewReport extends ChannelRef {
  kind: 'catch-up' | 'backfill';
  startedBy: string | null;
  now: number;
}

/** Begins a report: one message in the channel that speaks for many shares. */
export async function createReport(db: Kysely<Tables>, input: NewReport): Promise<number> {
  const { team, channel, kind, startedBy, now } = input;
  const { id } = await db
    .insertInto('reports')
    .values({ team, channel, kind, startedBy, startedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function findReport(db: Kysely<Tables>, id: number): Promise<ReportRow | undefined> {
  return db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** How many of a report's transfers are in each state. */
export async function countReport(
  db: Kysely<Tables>,
  reportId: number,
): Promise<Partial<Record<TransferState, number>>> {
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['transfers.state', sql<number>`cast(count(*) as integer)`.as('count')])
    .where('shares.reportId', '=', reportId)
    .groupBy('transfers.state')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

/** Parks what a report's shares have not begun; what is under way is finished. */
export function stopReport(db: Kysely<Tables>, report: ReportRow, now: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await trx.updateTable('reports').set({ stopped: 1 }).where('id', '=', report.id).execute();
    await trx
      .updateTable('transfers')
      .set({ state: 'parked', nextAt: null })
      .where('queue', '=', queueOf(report, true))
      .where('nextAt', 'is not', null)
      .where('leaseToken', 'is', null)
      .where('state', 'in', ['recorded', 'uploaded'])
      .execute();
    await reportChanged(trx, report.id, now);
  });
}

/** A report's refused files, the first few. */
export async function refusalsOfReport(
  db: Kysely<Tables>,
  reportId: number,
): Promise<{ name: string; problem: ErrorCode | null; problemNote: string | null }[]> {
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['transfers.name', 'transfers.problem', 'transfers.problemNote'])
    .where('shares.reportId', '=', reportId)
    .where('transfers.state', '=', 'refused')
    .orderBy('transfers.id')
    .limit(50)
    .execute();
  return rows.map((row) => ({ ...row, problem: row.problem as ErrorCode | null }));
}

/** Takes up again what a stopped backfill of the channel left parked, under another report. */
export function resumeParkedPast(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { reportId, destination, now }: { reportId: number; destination: Destination; now: number },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .updateTable('transfers')
      .set({ ...destination, state: 'recorded', nextAt: now, attachmentId: null })
      .where('state', '=', sql.lit('parked'))
      .where('queue', '=', queueOf(ref, true))
      .returning('shareId')
      .execute();
    const shares = [...new Set(rows.map((row) => row.shareId))];
    for (const id of shares)
      await trx.updateTable('shares').set({ reportId }).where('id', '=', id).execute();
    return rows.length;
  });
}
