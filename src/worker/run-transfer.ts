import { PigeonholeError } from '../base/index.ts';
import { LedgerError, type Transfer } from '../ledger/index.ts';
import { lossDelay, MOST_LOSSES } from '../transfers/index.ts';
import { createStep, hadNoEffect, isStaleAttachment } from './create-step.ts';
import { findRecord, reconcileStep, settlingMs } from './reconcile-step.ts';
import { settleFailure } from './settle-failure.ts';
import { settleRecord } from './settle-record.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { destinationOf } from './transfer-parts.ts';
import { unseenRecord } from './unseen-record.ts';
import { uploadStep } from './upload-step.ts';

/** Uploads of a file whose creates, unanswered, use each of them up; then people have to look. */
const MOST_UPLOADS = 5;

/**
 * Takes a claimed transfer through the steps it lacks, from wherever it stands, until it is filed,
 * refused, or put off. Never rejects: what fails is settled in the ledger, and what cannot even be
 * written there ends with its lease.
 */
export async function runTransfer(held: HeldTransfer, context: TransferContext): Promise<void> {
  try {
    await context.checkpoint('claimed', held.transfer.id);
    await heedLosses(held, context);
    await runSteps(held, context);
  } catch (error) {
    await settle(held, error, context);
  }
}

async function heedLosses(held: HeldTransfer, context: TransferContext): Promise<void> {
  const { transfer, signal } = held;
  const { clock, backoffScale } = context;
  if (transfer.losses > MOST_LOSSES)
    throw new PigeonholeError('ATTEMPTS_EXHAUSTED', `transfer ${transfer.id} was lost too often`);
  const delay = lossDelay(transfer.losses) * backoffScale;
  if (delay > 0) await clock.sleep(delay, signal);
}

async function runSteps(held: HeldTransfer, context: TransferContext): Promise<void> {
  const { transfer } = held;
  if (transfer.state === 'creating') {
    const wait = settlingMs(transfer, context.settleMs, context.clock.now());
    if (wait > 0) return context.ledger.releaseTransfer(held.claim, context.clock.now() + wait);
    const uploaded = await reconcileStep(held, context).catch(throwUnseen);
    if (uploaded) await createStep({ ...held, transfer: uploaded }, context);
    return;
  }
  const uploaded = transfer.state === 'recorded' ? await uploadStep(held, context) : transfer;
  if (uploaded) await createStep({ ...held, transfer: uploaded }, context);
}

async function settle(held: HeldTransfer, error: unknown, context: TransferContext): Promise<void> {
  try {
    if (!isStaleAttachment(error, held.transfer)) return await settleFailure(held, error, context);
    const isOpen = held.transfer.creatingSince !== null || !hadNoEffect(error);
    await startOver(held, { isOpen }, context).catch((next) => settleFailure(held, next, context));
  } catch (failure) {
    const lost = failure instanceof LedgerError && failure.code === 'LEASE_LOST';
    const level = lost ? 'info' : 'error';
    context.logger[level](
      { transfer: held.transfer.id, error: failure },
      'A claim ended unsettled',
    );
  }
}

// An earlier create without an answer may have used the attachment up, after the folder was listed.
// The list also tells whether it is the attachment that is gone, rather than the folder.
async function startOver(
  held: HeldTransfer,
  { isOpen }: { isOpen: boolean },
  context: TransferContext,
): Promise<void> {
  const { transfer, claim } = held;
  const { ledger, clock } = context;
  if (!isOpen) {
    await context.service.listFiles(destinationOf(transfer), bulkCall(held));
  } else {
    // Written down as open again: while it is not shown to be absent, nothing is uploaded anew.
    await ledger.markCreating(claim, clock.now());
    const record = await findRecord(held, context).catch(throwUnseen);
    if (record) return settleRecord(held, record, context);
    if (transfer.uploads >= MOST_UPLOADS) throw usedUp(transfer);
    await ledger.markNotCreated(claim);
  }
  await ledger.markNotUploaded(claim);
  await ledger.releaseTransfer(claim, clock.now());
}

function throwUnseen(error: unknown): never {
  throw unseenRecord(error);
}

function usedUp({ id, uploads }: Transfer): PigeonholeError {
  const message = `transfer ${id} was uploaded ${uploads} times, and its creates were not answered`;
  return new PigeonholeError('RECORD_UNCLEAR', message);
}
