import type { ClaimedFiles, DueTransfer, Lease } from '../ledger/index.ts';
import type { BulkSlot } from '../service/index.ts';
import { createBatch, waitForTwin } from './create-batch.ts';
import { type HeldLease, heldTransfers, type Job, type JobKind, whileSending } from './job.ts';
import { look } from './look.ts';
import { settling } from './settle.ts';
import { LARGE_BYTES, upload } from './upload.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The least size, in bytes, that a slot is requested for. The claim may take a larger file than the
 * one due first, and if the slot is too short for its upload, the file waits for another slot.
 */
const SMALL_BYTES = 1024 * 1024;
/** Most large files uploaded at once. */
const LARGE_AT_ONCE = 3;
/**
 * Most files that a channel uploads in its turn. With one at a time, each of a busy day's many folders
 * would get its files one by one, and every other request would be a create.
 */
const FILES_A_TURN = 8;
/** Most folders looked into at once. */
const LOOKS_AT_ONCE = 4;

/**
 * Uploads files and creates their records. Waits for a slot of the account's rate limit, and only
 * then claims the most due work in the next queue's turn: nothing that is claimed waits for a slot,
 * and a batch takes all attachments that are ready by then.
 */
export function filing(context: WorkerContext, concurrency: number): JobKind {
  const { ledger, service } = context;
  /** The queue whose turn it is, and how many files it has uploaded in it. */
  let turn = { queue: '', files: 0 };
  let largeInHand = 0;
  /** What is due first, as read before the claim. */
  let next: DueTransfer | null = null;

  const wanted = () => ({ largest: largeInHand < LARGE_AT_ONCE ? null : LARGE_BYTES });

  const claimWith = async (slot: BulkSlot, lease: Lease): Promise<Job | null> => {
    const sameQueue = turn.files < FILES_A_TURN ? turn.queue : '';
    const request = { ...lease, ...wanted(), sameQueue, afterQueue: turn.queue };
    const claimed = await ledger.claimFiling(request);
    if (!claimed) return null;
    const { queue } = claimed;
    const [first] = claimed.transfers;
    const isUpload = first?.state === 'recorded';
    if (isUpload) turn = { queue, files: queue === sameQueue ? turn.files + 1 : 1 };
    const isLarge = isUpload && (first.slackSize ?? 0) > LARGE_BYTES;
    if (isLarge) largeInHand += 1;
    return (held) =>
      fileClaimed(claimed, { held, slot }, context).finally(() => {
        slot.giveBack();
        if (isLarge) largeInHand -= 1;
      });
  };

  return whileSending(context, {
    table: 'transfers',
    concurrency,
    next: async () => {
      next = await ledger.nextFiling(wanted());
      return next?.dueAt ?? null;
    },
    claim: async (beginLease, signal) => {
      const bytes = Math.max(next?.slackSize ?? LARGE_BYTES, SMALL_BYTES);
      const slot = await service.bulkSlot({ bytes, signal });
      let job: Job | null = null;
      try {
        job = signal.aborted || !context.maySend() ? null : await claimWith(slot, beginLease());
        return job;
      } finally {
        if (!job) slot.giveBack();
      }
    },
  });
}

/** Looks up open creates, one folder per job, without a slot: a list takes 0 or more requests. */
export function looking(context: WorkerContext): JobKind {
  const { ledger } = context;
  return whileSending(context, {
    table: 'transfers',
    concurrency: LOOKS_AT_ONCE,
    next: () => ledger.nextDue('looks'),
    claim: async (beginLease) => {
      const claimed = await ledger.claimLook(beginLease());
      if (claimed.length === 0) return null;
      return (held) => look(heldTransfers(claimed, held), context);
    },
  });
}

async function fileClaimed(
  { transfers, isSaved, isPaused }: ClaimedFiles,
  { held, slot }: { held: HeldLease; slot: BulkSlot },
  context: WorkerContext,
): Promise<void> {
  const [first, ...others] = heldTransfers(transfers, held);
  if (!first) return;
  const { state } = first.transfer;
  const settle = (run: () => Promise<void>) => settling(first, context, run);
  if (state === 'recorded')
    return settle(() => upload(first, { slot, isSaved, isPaused }, context));
  if (state === 'uploaded') return settle(() => waitForTwin(first, context));
  return createBatch([first, ...others], { held, slot, isPaused }, context);
}
