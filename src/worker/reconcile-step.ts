import { PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import { matchRecord, possibleRecords } from '../transfers/index.ts';
import { settleRecord } from './settle-record.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { attachmentOf, destinationOf } from './transfer-parts.ts';

const NOBODY: ReadonlySet<number> = new Set();

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

/**
 * The record that a create of this transfer left in its folder, or null when none did. Rejects with
 * RECORD_UNCLEAR when the folder does not tell.
 */
export async function findRecord(
  held: HeldTransfer,
  { service, ledger, clock, settleMs }: TransferContext,
): Promise<FileRecord | null> {
  const { transfer } = held;
  const destination = destinationOf(transfer);
  const { byteSize } = attachmentOf(transfer);
  const { name, serviceTime: since, creatingSince } = transfer;
  const open = { name, byteSize, since, sentAt: creatingSince ?? clock.now() };
  const settledAt = creatingSince === null ? 0 : creatingSince + settleMs;
  const { files, unreadable, creators } = await service.listFiles(destination, {
    ...bulkCall(held),
    notBefore: Math.min(settledAt, clock.now()),
  });
  const possible = possibleRecords(open, files, creators ?? NOBODY);
  const ids = possible.map(({ id }) => id);
  const claimed = await ledger.claimedRecords(destination, ids);
  const free = possible.filter(({ id }) => !claimed.has(id));
  const others = free.length === 0 ? [] : await ledger.otherOpenCreates(destination, transfer.id);
  const match = matchRecord(open, free, others);
  if (match.verdict === 'found') return match.record;
  if (match.verdict === 'unclear') throw unclear(held, `${free.length} records may be its own`);
  if (unreadable > 0) throw unclear(held, `${unreadable} records of its folder cannot be read`);
  return null;
}

function unclear({ transfer }: HeldTransfer, why: string): PigeonholeError {
  const message = `the create of transfer ${transfer.id} was not answered, and ${why}`;
  return new PigeonholeError('RECORD_UNCLEAR', message);
}

/** How long a create without an answer is left alone yet, in milliseconds. */
export function settlingMs({ creatingSince }: Transfer, settleMs: number, now: number): number {
  return creatingSince === null ? 0 : Math.max(0, creatingSince + settleMs - now);
}
