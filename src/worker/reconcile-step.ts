import { PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { FileList, FileRecord } from '../service/index.ts';
import {
  type Destination,
  matchRecord,
  type Named,
  possibleRecords,
  recordsBy,
} from '../transfers/index.ts';
import { settleRecord } from './settle-record.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { attachmentOf, destinationOf } from './transfer-parts.ts';

const NOBODY: ReadonlySet<number> = new Set();
/** Records that the ledger is asked about at once, to learn who makes ours. */
const MOST_ASKED = 200;

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
  context: TransferContext,
): Promise<FileRecord | null> {
  const { clock } = context;
  const { transfer } = held;
  const destination = destinationOf(transfer);
  const { name, serviceTime: since, creatingSince } = transfer;
  const { byteSize } = attachmentOf(transfer);
  const open = { name, byteSize, since, sentAt: creatingSince ?? clock.now() };
  const { files, unreadable, creators = NOBODY } = await lookInto(destination, held, context);
  const free = await unclaimed(destination, possibleRecords(open, files), context);
  if (free.length > 0) {
    const known = creators.size > 0 ? creators : await creatorsOfOurs(destination, files, context);
    const others = await otherCreates(destination, transfer, context);
    const match = matchRecord(open, recordsBy(known, free), others);
    if (match.verdict === 'found') return match.record;
    // Whose the key is only the answer to a create tells: it may be another's than it was.
    const isAbsent = match.verdict === 'absent' && creators.size > 0;
    if (!isAbsent) throw unclear(held, `records ${free.map(({ id }) => id)} may be its own`);
  }
  if (unreadable > 0) throw unclear(held, `${unreadable} records of its folder cannot be read`);
  return null;
}

function lookInto(
  destination: Destination,
  held: HeldTransfer,
  { service, clock, settleMs }: TransferContext,
): Promise<FileList> {
  const settledAt = (held.transfer.creatingSince ?? 0) + settleMs;
  const notBefore = Math.min(settledAt, clock.now());
  return service.listFiles(destination, { ...bulkCall(held), notBefore });
}

async function unclaimed(
  destination: Destination,
  files: readonly FileRecord[],
  { ledger }: TransferContext,
): Promise<FileRecord[]> {
  const ids = files.map(({ id }) => id);
  const claimed = await ledger.claimedRecords(destination, ids);
  return files.filter(({ id }) => !claimed.has(id));
}

async function otherCreates(
  destination: Destination,
  own: Transfer,
  { ledger }: TransferContext,
): Promise<Named[]> {
  const all = await ledger.openCreates(destination);
  return all.flatMap(({ id, name, byteSize }) =>
    id === own.id || byteSize === null ? [] : [{ name, byteSize }],
  );
}

/** Who made the newest records of a folder that transfers hold. */
async function creatorsOfOurs(
  destination: Destination,
  files: readonly FileRecord[],
  { ledger }: TransferContext,
): Promise<Set<number>> {
  const newest = files.toSorted((a, b) => b.id - a.id).slice(0, MOST_ASKED);
  const ids = newest.map(({ id }) => id);
  const claimed = await ledger.claimedRecords(destination, ids);
  const ours = newest.filter(({ id }) => claimed.has(id));
  return new Set(ours.flatMap(({ creatorId }) => creatorId ?? []));
}

function unclear({ transfer }: HeldTransfer, why: string): PigeonholeError {
  const message = `the create of transfer ${transfer.id} was not answered, and ${why}`;
  return new PigeonholeError('RECORD_UNCLEAR', message);
}

/** How long a create without an answer is left alone yet, in milliseconds. */
export function settlingMs({ creatingSince }: Transfer, settleMs: number, now: number): number {
  return creatingSince === null ? 0 : Math.max(0, creatingSince + settleMs - now);
}
