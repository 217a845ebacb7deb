import {
  type ClaimedFiling,
  type DueTransfer,
  destinationOf,
  type Lease,
} from '../ledger/index.ts';
import type { BulkSlot } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import { fileFolder } from './folder.ts';
import { isStillRefused } from './holds.ts';
import { type Handler, type HeldLease, heldTransfer, type Run, whileSending } from './job.ts';
import { settling } from './settle.ts';
import { LARGE_BYTES, upload } from './upload.ts';

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

/**
 * Uploads files, and sees to the folders that they go to. Waits for a slot of the account's rate limit,
 * and only then claims the most due work: nothing that is claimed waits for a slot, and a batch takes
 * all attachments that are ready by then.
 */
export function filing(context: EngineContext, concurrency: number): Handler {
  const { ledger, service, backoffScale: scale } = context;
  /** The queue whose turn it is, and how many files it has uploaded in it. */
  let turn = { queue: '', files: 0 };
  let largeInHand = 0;
  /** What is due first, as read before the claim. */
  let next: DueTransfer | null = null;

  const wanted = () => ({ largest: largeInHand < LARGE_AT_ONCE ? null : LARGE_BYTES });

  const claimWith = async (slot: BulkSlot, lease: Lease): Promise<Run | null> => {
    const sameQueue = turn.files < FILES_A_TURN ? turn.queue : '';
    const request = { ...lease, ...wanted(), sameQueue, afterQueue: turn.queue, scale };
    const claimed = await ledger.claimFiling(request);
    if (!claimed) return null;
    if (claimed.kind === 'folder')
      return (held) =>
        probing(claimed, held, context, (own) => fileFolder(claimed, { held, slot }, own)).finally(
          slot.giveBack,
        );
    const { queue, transfer } = claimed;
    turn = { queue, files: queue === sameQueue ? turn.files + 1 : 1 };
    const isLarge = (transfer.slackSize ?? 0) > LARGE_BYTES;
    if (isLarge) largeInHand += 1;
    return (held) =>
      probing(claimed, held, context, (own) => uploadClaimed(claimed, { held, slot }, own)).finally(
        () => {
          slot.giveBack();
          if (isLarge) largeInHand -= 1;
        },
      );
  };

  return whileSending(context, {
    kinds: ['upload', 'folder', 'hold'],
    concurrency,
    next: async () => {
      next = await ledger.nextFiling(wanted());
      return next?.dueAt ?? null;
    },
    claim: async (beginLease, signal) => {
      const bytes = Math.max(next?.slackSize ?? LARGE_BYTES, SMALL_BYTES);
      const slot = await service.bulkSlot({ bytes, signal });
      let run: Run | null = null;
      try {
        run = signal.aborted || !context.maySend() ? null : await claimWith(slot, beginLease());
        return run;
      } finally {
        if (!run) slot.giveBack();
      }
    },
  });
}

/** Runs a claimed job, with the hold that it is to probe, unless a list shows that hold's cause. */
async function probing(
  claimed: ClaimedFiling,
  held: HeldLease,
  context: EngineContext,
  run: (context: EngineContext) => Promise<void>,
): Promise<void> {
  const { probe } = claimed;
  if (!probe) return run(context);
  const destination =
    claimed.kind === 'folder' ? claimed.destination : destinationOf(claimed.transfer);
  const asked = { destination, signal: held.signal };
  if (!(await isStillRefused(probe, asked, context))) return run({ ...context, probe });
  // While its folder's job is in hand, no create is under way.
  const isGone = claimed.kind === 'folder' && probe.reason === 'DESTINATION_GONE';
  await context.ledger.keepHold(held, { scope: probe.scope, isGone, now: context.clock.now() });
}

function uploadClaimed(
  { transfer, ...flags }: ClaimedFiling & { kind: 'upload' },
  { held, slot }: { held: HeldLease; slot: BulkSlot },
  context: EngineContext,
): Promise<void> {
  const one = heldTransfer(transfer, held);
  return settling(one, context, () => upload(one, { ...flags, slot }, context));
}
