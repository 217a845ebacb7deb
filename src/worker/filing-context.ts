import { type Clock, type Logger, PigeonholeError, type Random } from '../base/index.ts';
import type { Claim, Ledger, Transfer } from '../ledger/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { HeldLease } from './job-loop.ts';
import type { ProgressBoard } from './progress.ts';

/** The calls that file. */
export type FilingCalls = Pick<
  ServiceClient,
  'bulkSlot' | 'createFiles' | 'listFiles' | 'uploadFile'
>;

/** What filing works with. */
export interface FilingContext {
  ledger: Ledger;
  service: FilingCalls;
  workspace: Pick<Workspace, 'download' | 'fileInfo'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  progress: ProgressBoard;
  checkpoint: Checkpoint;
  /**
   * How long a create may take to have its effect, in milliseconds: that it left nothing is
   * concluded only from a list of after that.
   */
  settleMs: number;
  /** Stretches or shrinks all waits before another try; 1 in the product. */
  backoffScale: number;
}

/** A transfer that is held by a lease. */
export interface HeldTransfer {
  transfer: Transfer;
  claim: Claim;
  /** Aborts when the lease is lost, or the process stops. */
  signal: AbortSignal;
}

/** The transfers of a lease, each by itself. */
export function heldTransfers(transfers: readonly Transfer[], held: HeldLease): HeldTransfer[] {
  const { token, signal } = held;
  return transfers.map((transfer) => ({ transfer, claim: { id: transfer.id, token }, signal }));
}

/** The folder of an active transfer; one without is a fault, as only parked ones have none. */
export function destinationOf({ id, destination }: Transfer): Destination {
  if (destination) return destination;
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} is active without a destination`);
}

/** What the upload left in the ledger; without it a create is a fault. */
export function attachmentOf({ id, attachmentId, byteSize, name }: Transfer) {
  if (attachmentId !== null && byteSize !== null) return { attachmentId, byteSize, name };
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} has no attachment`);
}
