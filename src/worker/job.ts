import { type Clock, MAX_RETRY_AFTER_MS } from '../base/index.ts';
import {
  type Claim,
  type DueKind,
  type Lease,
  type LeasedTable,
  type Ledger,
  LedgerError,
  type Transfer,
} from '../ledger/index.ts';

/** Work of one kind: rows of a table that come due, and what is done with them. */
export interface JobKind extends DueJobs {
  table: LeasedTable;
  /** Jobs in hand at once. */
  concurrency: number;
  /** What is still begun while the process stops: what finishes work that it had in hand. */
  finishing?: DueJobs;
}

interface DueJobs {
  /** When the next comes due, by our clock; null when nothing waits. */
  next(): Promise<number | null>;
  /**
   * Claims what is due, with a lease that begins when `lease` is called, and returns what is to be
   * done; null when nothing that may be begun is due after all, or `signal` has aborted.
   */
  claim(lease: () => Lease, signal: AbortSignal): Promise<Job | null>;
}

/**
 * What fails is settled in the ledger; a rejection, of what cannot be written, is logged, and ends
 * with its lease.
 */
export type Job = (held: HeldLease) => Promise<void>;

/** The lease that a job works under. */
export interface HeldLease {
  token: string;
  /** Aborts when the lease is lost, or the process stops. */
  signal: AbortSignal;
  /** Until when it holds for sure, by our clock; moves on as it is renewed. */
  leaseUntil(): number;
}

/**
 * Throws LEASE_LOST when the lease may be another's by now: what cannot be taken back is not
 * begun. A process that was stopped for a while learns of it here, before any timer of its own.
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

/** A transfer that is held by a lease, which it may share with others. */
export interface HeldTransfer {
  transfer: Transfer;
  claim: Claim;
  /** Aborts when the lease is lost, or the process stops. */
  signal: AbortSignal;
}

export function heldTransfers(transfers: readonly Transfer[], held: HeldLease): HeldTransfer[] {
  const { token, signal } = held;
  return transfers.map((transfer) => ({ transfer, claim: { id: transfer.id, token }, signal }));
}

/**
 * Until when nothing of a kind is claimed, by our clock, as Slack may ask for all its calls to wait; 0
 * for no time.
 */
export interface Pause {
  until: number;
}

/** When a pause ends. One for longer than anybody is believed was begun before the clock was set back: it is over. */
export function pausedUntil({ until }: Pause, now: number): number {
  return until <= now + MAX_RETRY_AFTER_MS ? until : 0;
}

/** When the next row of a kind comes due, and no sooner than `from`; null when none waits. */
export async function nextDue(
  ledger: Pick<Ledger, 'nextDue'>,
  kind: DueKind,
  from = 0,
): Promise<number | null> {
  const dueAt = await ledger.nextDue(kind);
  return dueAt === null ? null : Math.max(dueAt, from);
}

/** Jobs of one row each. */
interface RowJobs<Row> extends Pick<JobKind, 'table' | 'concurrency'> {
  kind: DueKind;
  /** Claims the row that has been due longest; undefined when none is. */
  claimNext(lease: Lease): Promise<Row | undefined>;
  run(held: HeldRow<Row>): Promise<void>;
  /** Settles what `run` rejected with; where that was aborted, the row is handed back instead. */
  failed?(held: HeldRow<Row>, error: unknown): Promise<void>;
  /** Default: never. */
  pause?: Pause;
}

export function rowJobs<Row extends { id: number }>(
  { ledger, clock }: { ledger: Pick<Ledger, 'nextDue' | 'release'>; clock: Clock },
  { table, concurrency, kind, claimNext, run, failed, pause }: RowJobs<Row>,
): JobKind {
  const runOne = async (one: HeldRow<Row>) => {
    try {
      await run(one);
    } catch (error) {
      const { claim, held } = one;
      if (held.signal.aborted) return ledger.release(table, { claim, dueAt: clock.now() });
      if (!failed) throw error;
      await failed(one, error);
    }
  };
  return {
    table,
    concurrency,
    next: () => nextDue(ledger, kind, pause && pausedUntil(pause, clock.now())),
    claim: async (lease) => {
      const row = await claimNext(lease());
      return row ? (held) => runOne({ row, claim: { id: row.id, token: held.token }, held }) : null;
    },
  };
}
