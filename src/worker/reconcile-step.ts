import { PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import { lookDelay, MOST_CREATES } from '../transfers/index.ts';
import { isStaleCode } from './failed-create.ts';
import { type Look, lookForRecord, unclearRecord } from './look-for-record.ts';
import { settleRecord } from './settle-record.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { unseenRecord } from './unseen-record.ts';

/**
 * Finds out what became of a create without an answer, or of one that was answered with an error.
 * Settles the transfer when its record is in
 * the folder, or hands it back until the next look or to be uploaded anew (null); else returns it in
 * `uploaded`, to be created again.
 */
export async function reconcileStep(
  claimed: HeldTransfer,
  context: TransferContext,
): Promise<Transfer | null> {
  const held = await onClock(claimed, context);
  const look = await lookForRecord(held, context).catch(throwUnseen);
  if (look.verdict === 'found') {
    await settleFound(held, look.record, context);
    return null;
  }
  if (await putBack(held, context)) return null;
  assertAbsent(held, look);
  await context.ledger.markAbsent(held.claim);
  if (!isStaleCode(held.transfer.problem)) return { ...held.transfer, state: 'uploaded' };
  await uploadAnew(held, context);
  return null;
}

/** Hands a transfer back to be uploaded anew: its attachment is of no use any more. */
export async function uploadAnew(
  { claim }: HeldTransfer,
  { ledger, clock }: TransferContext,
): Promise<void> {
  await ledger.markNotUploaded(claim);
  await ledger.releaseTransfer(claim, clock.now());
}

/**
 * Throws unless a look showed that the create left nothing, and it may be sent again without asking:
 * RECORD_UNCLEAR, or RECORD_UNCONFIRMED when too many were.
 */
export function assertAbsent(held: HeldTransfer, look: Look): void {
  const { id, creates } = held.transfer;
  if (look.verdict === 'unclear') throw unclearRecord(held, look.why);
  if (look.verdict === 'absent' && !look.settled)
    throw unclearRecord(held, 'its folder was listed too early, by the clock of the service');
  if (creates < MOST_CREATES) return;
  const message = `transfer ${id} was created ${creates} times, without an answer or a record`;
  throw new PigeonholeError('RECORD_UNCONFIRMED', message);
}

/** Files a transfer with the record that was found; RECORD_UNCLEAR when another has taken it since. */
export async function settleFound(
  held: HeldTransfer,
  record: FileRecord,
  context: TransferContext,
): Promise<void> {
  if ((await settleRecord(held, record, context)) === 'filed') return;
  throw unclearRecord(held, `record ${record.id} of its folder was taken by another meanwhile`);
}

/** Rethrows what a look failed with; see unseenRecord. */
export function throwUnseen(error: unknown): never {
  throw unseenRecord(error);
}

// A clock that went back would leave the create alone for as long as it went back.
async function onClock(held: HeldTransfer, context: TransferContext): Promise<HeldTransfer> {
  const now = context.clock.now();
  const { creatingSince, answeredAt } = held.transfer;
  if (Math.max(creatingSince ?? 0, answeredAt ?? 0) <= now) return held;
  await context.ledger.markOpen(held.claim, now);
  return { ...held, transfer: { ...held.transfer, creatingSince: now, answeredAt: null } };
}

// What was not found yet may still come: until then only a record that is there says something.
async function putBack(held: HeldTransfer, context: TransferContext): Promise<boolean> {
  const { ledger, clock, settleMs } = context;
  if (held.transfer.answeredAt !== null) return false;
  const now = clock.now();
  const wait = lookDelay(now - (held.transfer.creatingSince ?? 0), settleMs);
  if (wait === 0) return false;
  await ledger.releaseTransfer(held.claim, now + wait);
  return true;
}
