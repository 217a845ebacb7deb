import { askedToWaitMs, type Clock } from '../base/index.ts';
import {
  type Claim,
  type ClaimedRow,
  type DueKind,
  type JobKind,
  type Lease,
  type Ledger,
  LedgerError,
  type Transfer,
} from '../ledger/index.ts';

/** Does the jobs of some kinds. */
export interface Handler {
  kinds: readonly JobKind[];
  /** The most jobs that run at once. */
  concurrency: number;
  /** Returns when the next job comes due, by our clock; null when none waits. */
  next(): Promise<number | null>;
  /**
   * Claims a due job and returns its run; null when none that may be claimed is due after all, or
   * `signal` has aborted. Calls `beginLease` just before the claim: its time counts from
   * then, however long the claim had to wait for a slot.
   */
  claim(beginLease: () => Lease, signal: AbortSignal): Promise<Run | null>;
}

/**
 * A run of a job. Settles its own failures in the ledger. Rejects only when it cannot write: the loop
 * logs that, the lease expires, and the job is claimed again.
 */
export type Run = (held: HeldLease) => Promise<void>;

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
  held: HeldLease;
}

/** A claimed transfer; one lease may hold several. */
export interface HeldTransfer extends Pick<HeldLease, 'signal'> {
  transfer: Transfer;
  claim: Claim;
}

export function heldTransfer(transfer: Transfer, { token, signal }: HeldLease): HeldTransfer {
  return { transfer, claim: { id: transfer.id, token }, signal };
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

/** How soon it is looked again whether this process may send requests, in milliseconds. */
const MAY_SEND_AGAIN_MS = 250;

/** Returns the same kind of work, claimed only while this process may send requests. */
export function whileSending(
  { clock, maySend }: { clock: Clock; maySend(): boolean },
  { next, ...kind }: Handler,
): Handler {
  return {
    ...kind,
    next: async () => (maySend() ? next() : clock.now() + MAY_SEND_AGAIN_MS),
  };
}

/** Jobs of one row each. */
interface RowJobs<Kind extends DueKind> extends Pick<Handler, 'concurrency'> {
  kind: Kind;
  run(held: HeldRow<ClaimedRow<Kind>>): Promise<void>;
  /** Settles an error of `run`; after an abort the job is handed back instead. */
  failed(held: HeldRow<ClaimedRow<Kind>>, error: unknown): Promise<void>;
  /** Default: no pause. */
  pause?: Pause;
}

export function rowJobs<Kind extends DueKind>(
  { ledger, clock }: { ledger: Pick<Ledger, 'nextDue' | 'claimRow' | 'endJob'>; clock: Clock },
  { kind, concurrency, run, failed, pause }: RowJobs<Kind>,
): Handler {
  const runOne = async (one: HeldRow<ClaimedRow<Kind>>) => {
    try {
      await run(one);
    } catch (error) {
      const { held } = one;
      const { aborted } = held.signal;
      if (aborted) return void (await ledger.endJob(held, { dueAt: clock.now(), unused: true }));
      if (pause) pauseIfAsked(pause, error, clock);
      await failed(one, error);
    }
  };
  return {
    kinds: [kind],
    concurrency,
    next: async () => {
      const dueAt = await ledger.nextDue(kind);
      return dueAt && pause ? Math.max(dueAt, pause.until) : dueAt;
    },
    claim: async (beginLease) => {
      const row = await ledger.claimRow(kind, beginLease());
      return row ? (held) => runOne({ row, held }) : null;
    },
  };
}
