import type { Transfer } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import { matchRecord } from '../transfers/index.ts';
import { settleRecord } from './settle-record.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { attachmentOf, destinationOf } from './transfer-parts.ts';

/**
 * Finds out what became of a create without an answer. Settles the transfer when its record is in
 * the folder (answers null); else answers it in `uploaded`, to be created again.
 */
export async function reconcileStep(
  held: HeldTransfer,
  context: TransferContext,
): Promise<Transfer | null> {
  const record = await findRecord(held, context);
  if (record) {
    await settleRecord(held, record, context);
    return null;
  }
  await context.ledger.markNotCreated(held.claim);
  return { ...held.transfer, state: 'uploaded' };
}

/** The record that a create of this transfer left in its folder, or null when none did. */
export async function findRecord(
  held: HeldTransfer,
  { service, ledger }: TransferContext,
): Promise<FileRecord | null> {
  const { transfer } = held;
  const destination = destinationOf(transfer);
  const { files } = await service.listFiles(destination, bulkCall(held));
  const open = {
    name: transfer.name,
    byteSize: attachmentOf(transfer).byteSize,
    since: transfer.serviceTime,
  };
  const alike = files.filter((file) => matchRecord(open, [file], new Set()) !== null);
  const claimed = await ledger.claimedRecords(
    destination,
    alike.map((file) => file.id),
  );
  return matchRecord(open, alike, claimed);
}

/** How long a create without an answer is left alone yet, in milliseconds. */
export function settlingMs({ creatingSince }: Transfer, settleMs: number, now: number): number {
  return creatingSince === null ? 0 : Math.max(0, creatingSince + settleMs - now);
}
