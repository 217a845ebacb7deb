import { type Clock, type Logger, PigeonholeError, type Random } from '../base/index.ts';
import type { Operator } from '../blocks/index.ts';
import type { Claim, Ledger, Transfer } from '../ledger/index.ts';
import type { NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Destination, LinkBy } from '../transfers/index.ts';
import type { FindDestination } from './destinations.ts';
import type { HeldLease } from './job-loop.ts';
import type { ProgressBoard } from './progress.ts';

/** What all jobs work with. */
interface WorkerContext {
  ledger: Ledger;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** The calls that file. */
export type FilingCalls = Pick<
  ServiceClient,
  'bulkSlot' | 'createFiles' | 'listFiles' | 'listFolders' | 'uploadFile'
>;

/** What filing works with. */
export interface FilingContext extends WorkerContext {
  service: FilingCalls;
  workspace: Pick<Workspace, 'download' | 'fileInfo'>;
  progress: ProgressBoard;
  /**
   * How long a create may take to have its effect, in milliseconds: that it left nothing is
   * concluded only from a list of after that.
   */
  settleMs: number;
  /** Stretches or shrinks all waits before another try; 1 in the product. */
  backoffScale: number;
}

/** What notifying people works with. */
export interface NotifyContext extends WorkerContext {
  workspace: Pick<
    Workspace,
    | ('actor' | 'addressOf' | 'announce' | 'find' | 'notify')
    | ('post' | 'react' | 'unreact' | 'update')
  >;
  names: Pick<NameCache, 'nameFolder'>;
  progress: ProgressBoard;
  operator: Operator;
  linkBy: LinkBy;
  /** See FilingContext. */
  backoffScale: number;
}

/** What reading a channel's history works with. */
export interface ReadingContext extends WorkerContext {
  workspace: Workspace;
  findDestination: FindDestination;
  operator: Operator;
  /** Since when events come in, by our clock: what was shared before, and is not known, was missed. */
  eventsSince: () => number;
  /** Something was recorded. */
  wake: () => void;
}

/** A row that is held by a lease. */
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
