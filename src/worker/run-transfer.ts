import { PigeonholeError } from '../base/index.ts';
import { LedgerError } from '../ledger/index.ts';
import { lossDelay, MOST_LOSSES } from '../transfers/index.ts';
import { createStep, isStaleAttachment } from './create-step.ts';
import { findRecord, reconcileStep, settlingMs } from './reconcile-step.ts';
import { settleFailure } from './settle-failure.ts';
import { settleRecord } from './settle-record.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { unseenRecord } from './unseen-record.ts';
import { uploadStep } from './upload-step.ts';

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
    const uploaded = await reconcileStep(held, context).catch((error: unknown) => {
      throw unseenRecord(error);
    });
    if (uploaded) await createStep({ ...held, transfer: uploaded }, context);
    return;
  }
  const uploaded = transfer.state === 'recorded' ? await uploadStep(held, context) : transfer;
  if (uploaded) await createStep({ ...held, transfer: uploaded }, context);
}

async function settle(held: HeldTransfer, error: unknown, context: TransferContext): Promise<void> {
  try {
    if (!isStaleAttachment(error, held.transfer)) return await settleFailure(held, error, context);
    await startOver(held, context).catch((next) => settleFailure(held, next, context));
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
async function startOver(held: HeldTransfer, context: TransferContext): Promise<void> {
  const { transfer, claim } = held;
  const { ledger, clock } = context;
  const found = await findRecord(held, context);
  const record = transfer.creatingSince === null ? null : found;
  if (record) {
    await ledger.markCreating(claim, clock.now());
    return settleRecord(held, record, context);
  }
  await ledger.markNotUploaded(claim);
  await ledger.releaseTransfer(claim, clock.now());
}
