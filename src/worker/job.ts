import { askedToWaitMs, type Clock } from '../base/index.ts';
import {
  type Claim,
  type DueKind,
  type DueRows,
  type Lease,
  type LeasedTable,
  type Ledger,
  LedgerError,
  type Transfer,
  tableOf,
} from '../ledger/index.ts';

/** A kind of work: rows of a table that come due, and the jobs that process them. */
export interface JobKind {
  table: LeasedTable;
  /** The most jobs that run at once. */
  concurrency: number;
  /** Returns when the next row comes due, by our clock; null when none waits. */
  next(): Promise<number | null>;
  /**
   * Claims due rows and returns the job for them; null when no row that may be claimed is due after
   * all, or `signal` has aborted. Calls `beginLease` just before the claim: its time counts from
   * then, however long the claim had to wait for a slot.
   */
  claim(beginLease: () => Lease, signal: AbortSignal): Promise<Job | null>;
}

/**
 * Settles its own failures in the ledger. Rejects only when it cannot write: the loop logs that,
 * the lease expires, and the row is claimed again.
 */
export type Job = (held: HeldLease) => Promise<void>;

/** The lease that a job works under. */
export interface HeldLease {
  token: string;
  /** Aborts when the lease is lost, or the process stops. */
  signal: AbortSignal;
  /** Returns when the lease ends, by our clock; each renewal moves that. */
  leaseUntil(): number;
}

/**
 * Throws LEASE_LOST once the lease has expired, or the signal's reason once it has aborted: to be
 * called before irreversible work. A process that was frozen notices here before its timers fire.
 */
export function assertHeld({ signal, leaseUntil }: HeldLease, clock: Clock): void {
  signal.throwIfAborted();
  if (clock.now() < leaseUntil()) return;
  throw new LedgerError('LEASE_LOST', 'the lease ran out');
}

export interface HeldRow<Row> {
  row: Row;
  claim: Claim;
  held: HeldLease;
}

/** A claimed transfer; one lease may hold several. */
export interface HeldTransfer extends Pick<HeldLease, 'signal'> {
  transfer: Transfer;
  claim: Claim;
}

export function heldTransfers(transfers: readonly Transfer[], held: HeldLease): HeldTransfer[] {
  const { token, signal } = held;
  return transfers.map((transfer) => ({ transfer, claim: { id: transfer.id, token }, signal }));
}

/**
 * Until when no row of a kind is claimed, by our clock; 0 for no pause. Slack may ask that all
 * calls of a kind wait.
 */
export interface Pause {
  until: number;
}

/**
 * Pauses a kind if an error asks for that; a pause that ends later stays, for jobs run at once.
 * Returns until when; null if it does not ask.
 */
export function pauseIfAsked(pause: Pause, error: unknown, clock: Clock): number | null {
  const waitMs = askedToWaitMs(error);
  if (waitMs === null) return null;
  pause.until = Math.max(clock.now() + waitMs, pause.until);
  return pause.until;
}

/** Jobs of one row each. */
interface RowJobs<Kind extends DueKind> extends Pick<JobKind, 'concurrency'> {
  kind: Kind;
  run(held: HeldRow<DueRows[Kind]>): Promise<void>;
  /** Settles an error of `run`; after an abort the row is released instead. */
  failed?(held: HeldRow<DueRows[Kind]>, error: unknown): Promise<void>;
  /** Default: no pause. */
  pause?: Pause;
}

export function rowJobs<Kind extends DueKind>(
  { ledger, clock }: { ledger: Pick<Ledger, 'nextDue' | 'claimRow' | 'release'>; clock: Clock },
  { kind, concurrency, run, failed, pause }: RowJobs<Kind>,
): JobKind {
  const table = tableOf(kind);
  const runOne = async (one: HeldRow<DueRows[Kind]>) => {
    try {
      await run(one);
    } catch (error) {
      const { claim, held } = one;
      if (held.signal.aborted) return ledger.release(table, { claim, dueAt: clock.now() });
      if (!failed) throw error;
      if (pause) pauseIfAsked(pause, error, clock);
      await failed(one, error);
    }
  };
  return {
    table,
    concurrency,
    next: async () => {
      const dueAt = await ledger.nextDue(kind);
      return dueAt && pause ? Math.max(dueAt, pause.until) : dueAt;
    },
    claim: async (beginLease) => {
      const row = await ledger.claimRow(kind, beginLease());
      return row ? (held) => runOne({ row, claim: { id: row.id, token: held.token }, held }) : null;
    },
  };
}
