import type { Clock, Logger, Random } from '../base/index.ts';
import { type Ledger, LedgerError, type Transfer } from '../ledger/index.ts';
import type { CallOptions, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ProgressBoard } from './progress.ts';
import type { Semaphore } from './semaphore.ts';

/** What the steps of a transfer work with. */
export interface TransferContext {
  ledger: Ledger;
  service: Pick<ServiceClient, 'createFile' | 'listFiles' | 'uploadFile'>;
  workspace: Pick<Workspace, 'download' | 'fileInfo'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  progress: ProgressBoard;
  /** Bounds how many large files are on their way at once. */
  largeFiles: Semaphore;
  checkpoint: Checkpoint;
  /**
   * How long a create may take to have its effect, in milliseconds: that it left nothing is
   * concluded only from a list of after that.
   */
  settleMs: number;
  /** Stretches or shrinks all waits before another try; 1 in the product. */
  backoffScale: number;
  /** A transfer has come to rest: its people may be told. */
  onChange: () => void;
}

/** A transfer that is held by a claim, and the signal that ends the work on it. */
export interface HeldTransfer {
  transfer: Transfer;
  claim: { id: number; token: string };
  signal: AbortSignal;
  /** Until when the claim holds for sure, by our clock; moves on as it is renewed. */
  leaseUntil: () => number;
}

/**
 * Rejects with LEASE_LOST when the claim may be another worker's by now: what cannot be taken back
 * is not begun. A process that was stopped for a while learns of it here, before any timer of its own.
 */
export function assertHeld({ claim, signal, leaseUntil }: HeldTransfer, clock: Clock): void {
  signal.throwIfAborted();
  if (clock.now() < leaseUntil()) return;
  throw new LedgerError('LEASE_LOST', `the lease of transfer ${claim.id} ran out`);
}

export function bulkCall({ transfer, signal }: HeldTransfer): CallOptions {
  return { lane: 'bulk', queue: transfer.queue, signal };
}
