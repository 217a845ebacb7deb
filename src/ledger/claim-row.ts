import { sql } from 'kysely';
import { channelOf } from '../core/index.ts';
import { isChannel } from './channels.ts';
import { claimJob, endJob, type Lease } from './jobs.ts';
import { atomically } from './run-statements.ts';
import type { ChannelRow, Db, DeletionRow, JobRow, ReportRow } from './schema.ts';

/** The kinds of jobs that are for one row, and that row. */
interface DueRows {
  'catch-up': ChannelRow;
  backfill: ReportRow;
  deletion: DeletionRow;
  watch: ChannelRow;
}

export type DueKind = keyof DueRows;

const TABLES = {
  'catch-up': 'channels',
  backfill: 'reports',
  deletion: 'deletions',
  watch: 'channels',
} as const satisfies Record<DueKind, string>;

/** A claimed row, with the claims of its job since that last made progress, this one included. */
export type ClaimedRow<Kind extends DueKind> = DueRows[Kind] & Pick<JobRow, 'attempts'>;

/** Claims the row of a kind that has been due longest; undefined when none is due. */
export function claimRow<Kind extends DueKind>(
  db: Db,
  kind: Kind,
  lease: Lease,
): Promise<ClaimedRow<Kind> | undefined>;
// Kysely cannot tell the rows of a table that is not known yet.
export function claimRow(db: Db, kind: DueKind, lease: Lease): Promise<unknown> {
  return atomically(db, async (trx) => {
    for (;;) {
      const job = await claimJob(trx, kind, lease);
      if (!job) return undefined;
      const isRow =
        TABLES[kind] === 'channels'
          ? isChannel(channelOf(job.key))
          : sql<boolean>`id = ${Number(job.key)}`;
      const row = trx.selectFrom(TABLES[kind]).selectAll().where(isRow);
      const found = await row.executeTakeFirst();
      if (found) return { ...found, attempts: job.attempts };
      // Its row is gone.
      await endJob(trx, lease, { dueAt: null });
    }
  });
}
