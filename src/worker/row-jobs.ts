import type { Lease, LeasedTable } from '../ledger/index.ts';
import type { JobKind } from './job-loop.ts';
import type { HeldRow } from './worker-context.ts';

/** Jobs of one row each. */
interface RowJobs<Row> {
  table: LeasedTable;
  /** Jobs in hand at once. */
  concurrency: number;
  /** When the next row comes due, by our clock; null when none waits. */
  nextDue(): Promise<number | null>;
  /** Claims the row that has been due longest; undefined when none is. */
  claimNext(lease: Lease): Promise<Row | undefined>;
  run(held: HeldRow<Row>): Promise<void>;
  /** Slack may ask for all calls of a kind to wait: nothing is claimed before. Default: never. */
  pause?: Pause;
}

export interface Pause {
  /** By our clock; 0 for none. */
  until: number;
}

export function rowJobs<Row extends { id: number }>(jobs: RowJobs<Row>): JobKind {
  const { table, concurrency, pause = { until: 0 } } = jobs;
  return {
    table,
    concurrency,
    next: async () => {
      const dueAt = await jobs.nextDue();
      return dueAt === null ? null : { dueAt: Math.max(dueAt, pause.until) };
    },
    claim: async (_due, lease) => {
      const row = await jobs.claimNext(lease());
      return row
        ? (held) => jobs.run({ row, claim: { id: row.id, token: held.token }, held })
        : null;
    },
  };
}
