import { claimJob, endJob, type Lease } from './jobs.ts';
import { SHARE_QUEUES } from './notifications.ts';
import { atomically } from './run-statements.ts';
import type {
  Db,
  DeletionRow,
  JobRow,
  ReadingRow,
  ReportRow,
  ShareRow,
  WatchRow,
} from './schema.ts';

/** The kinds of jobs that are for one row, and that row. */
interface DueRows {
  share: ShareRow;
  report: ReportRow;
  'catch-up': ReadingRow;
  backfill: ReadingRow;
  deletion: DeletionRow;
  watch: WatchRow;
}

export type DueKind = keyof DueRows;

const TABLES = {
  share: 'shares',
  report: 'reports',
  'catch-up': 'readings',
  backfill: 'readings',
  deletion: 'deletions',
  watch: 'watches',
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
  const queues = kind === 'share' ? { queues: SHARE_QUEUES } : {};
  return atomically(db, async (trx) => {
    for (;;) {
      const job = await claimJob(trx, kind, { ...lease, ...queues });
      if (!job) return undefined;
      const row = trx.selectFrom(TABLES[kind]).selectAll().where('id', '=', Number(job.key));
      const found = await row.executeTakeFirst();
      if (found) return { ...found, attempts: job.attempts };
      // Its row is gone.
      await endJob(trx, lease, { dueAt: null });
    }
  });
}
