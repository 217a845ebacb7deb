import { PigeonholeError } from '../base/index.ts';
import { LedgerError } from '../ledger/index.ts';
import { lossDelay, MOST_LOSSES } from '../transfers/index.ts';
import { createStep } from './create-step.ts';
import { isStaleAttachment } from './failed-create.ts';
import { identifyStep } from './identify-step.ts';
import { lookForRecord } from './look-for-record.ts';
import {
  assertAbsent,
  reconcileStep,
  settleFound,
  throwUnseen,
  uploadAnew,
} from './reconcile-step.ts';
import { settleFailure } from './settle-failure.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
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
  const { state } = held.transfer;
  if (state === 'created') return identifyStep(held, context);
  const uploaded =
    state === 'recorded'
      ? await uploadStep(held, context)
      : state === 'creating'
        ? await reconcileStep(held, context)
        : held.transfer;
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

// An earlier create without an answer, or the one that was refused, may have used the attachment up.
// The list also tells whether it is the attachment that is gone, rather than the folder.
async function startOver(held: HeldTransfer, context: TransferContext): Promise<void> {
  const { ledger, clock } = context;
  const isOpen = held.transfer.creates > 0;
  // Written down as open again: while it is not shown to be absent, nothing is uploaded anew.
  if (isOpen) await ledger.markOpen(held.claim, clock.now());
  const look = lookForRecord(held, context);
  const seen = await (isOpen ? look.catch(throwUnseen) : look);
  if (seen.verdict === 'found') {
    if (!isOpen) await ledger.markOpen(held.claim, clock.now());
    return settleFound(held, seen.record, context);
  }
  if (isOpen) {
    assertAbsent(held, seen);
    await ledger.markAbsent(held.claim);
  }
  await uploadAnew(held, context);
}
