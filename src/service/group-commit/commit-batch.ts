import type { Destination } from '../../transfers/index.ts';
import type { Slot } from '../call.ts';
import type { FileRecord } from '../records.ts';
import { allAborted } from './all-aborted.ts';
import type { BatchRequest, CreateAnswer } from './create-answer.ts';
import { matchCreated } from './match-created.ts';
import type { PendingCreate } from './pending-create.ts';

export interface BatchSender {
  /** Sends one create request that is admitted already; resolves when it was answered with success. */
  send(batch: BatchRequest): Promise<CreateAnswer>;
  /** Records were told to be of our making. */
  made(records: readonly FileRecord[]): void;
  /** A folder is about to change, or has changed. */
  changed(destination: Destination): void;
}

/**
 * Sends a batch that has been granted a slot: tells each who waits, leaves out who objects, and
 * settles all when it was answered with success: each with its record, or with null when the answer
 * does not tell which that is. Rejects when the request fails; who is not settled then is the
 * caller's to settle.
 */
export async function commitBatch(
  batch: PendingCreate[],
  slot: Slot,
  sender: BatchSender,
): Promise<void> {
  await Promise.all(batch.map(announce));
  const ready = batch.filter((item) => !item.settled()).sort(byAttachment);
  const [first] = ready;
  if (!first) return;
  for (const item of ready) item.company = ready.length;
  slot.sent = true;
  const answer = await send(first, ready, sender);
  const sought = ready.map(({ request }) => request);
  const records = matchCreated(sought, answer);
  const ours = records.filter((record) => record !== null);
  // An answer of more shows other files of the folder too, and like-named ones may be among them.
  if (answer.records.length <= ready.length) sender.made(ours);
  for (const [index, item] of ready.entries()) item.resolve(records[index] ?? null);
}

// Where only the order tells records apart, a later look finds it in the ledger again.
function byAttachment(a: PendingCreate, b: PendingCreate): number {
  return a.request.attachmentId - b.request.attachmentId;
}

// Rejecting, it leaves the item out and nobody else.
async function announce(item: PendingCreate): Promise<void> {
  try {
    await item.request.onSending();
  } catch (error) {
    item.reject(error);
  }
}

async function send(
  first: PendingCreate,
  ready: PendingCreate[],
  sender: BatchSender,
): Promise<CreateAnswer> {
  const { destination } = first.request;
  const attachments = ready.map(({ request }) => request.attachmentId);
  const left = allAborted(ready.map(({ signal }) => signal));
  sender.changed(destination);
  try {
    return await sender.send({ destination, attachments, signal: left.signal });
  } finally {
    left.stop();
    sender.changed(destination);
  }
}
