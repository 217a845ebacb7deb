import type { Clock, Logger, Random } from '../base/index.ts';
import type { Ledger, Transfer } from '../ledger/index.ts';
import type { CallOptions, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ProgressBoard } from './progress.ts';
import type { Semaphore } from './semaphore.ts';

/** What the steps of a transfer work with. */
export interface TransferContext {
  ledger: Ledger;
  service: ServiceClient;
  workspace: Workspace;
  clock: Clock;
  random: Random;
  logger: Logger;
  progress: ProgressBoard;
  /** Bounds how many large files are on their way at once. */
  largeFiles: Semaphore;
  checkpoint: Checkpoint;
  /**
   * How long after a create without an answer the folder is listed, in milliseconds: the service
   * may still be at it.
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
}

export function bulkCall({ transfer, signal }: HeldTransfer): CallOptions {
  return { lane: 'bulk', queue: transfer.queue, signal };
}
