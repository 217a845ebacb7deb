import type { Transfer } from '../ledger/index.ts';
import { type CreateRequest, type FileRecord, ServiceError } from '../service/index.ts';
import { hadNoEffect, UnansweredCreate } from './failed-create.ts';
import { identifyStep } from './identify-step.ts';
import { lookForRecord, unclearRecord } from './look-for-record.ts';
import { settleRecord } from './settle-record.ts';
import {
  assertHeld,
  bulkCall,
  type HeldTransfer,
  type TransferContext,
} from './transfer-context.ts';
import { attachmentOf, destinationOf } from './transfer-parts.ts';

/**
 * Puts the attachment into the folder. The intent is in the ledger before anything is sent, so that
 * a create without an answer is reconciled and never simply repeated; and so is the answer before its
 * record is looked for, so that what was answered with success is never created again. Rejects with
 * UnansweredCreate where it is not known whether there was an effect.
 */
export async function createStep(held: HeldTransfer, context: TransferContext): Promise<void> {
  const created = await create(held, context);
  await context.checkpoint('create-answered', held.transfer.id);
  if (created.record && (await settleRecord(held, created.record, context)) === 'filed') return;
  await context.ledger.markCreated(held.claim, context.clock.now());
  await context.checkpoint('created', held.transfer.id);
  await identifyStep({ ...held, transfer: created.transfer }, context);
}

interface Created {
  /** As it was announced. */
  transfer: Transfer;
  /** Null when the answer does not tell which it is. */
  record: FileRecord | null;
}

async function create(held: HeldTransfer, context: TransferContext): Promise<Created> {
  const begun: Transfer[] = [];
  const onSending = async () => void begun.push(await announce(held, context));
  const announced = () => begun.at(-1) ?? held.transfer;
  try {
    const request = { ...requestOf(held, context), onSending };
    const record = await context.service.createFile(request, bulkCall(held));
    return { transfer: announced(), record };
  } catch (error) {
    if (begun.length === 0 || !(error instanceof ServiceError)) throw error;
    if (hadNoEffect(error)) {
      await context.ledger.markNotCreated(held.claim);
      throw error;
    }
    const record = await foundAtOnce({ ...held, transfer: announced() }, error, context);
    return { transfer: announced(), record };
  }
}

async function announce(held: HeldTransfer, context: TransferContext): Promise<Transfer> {
  const announced = await context.ledger.markCreating(held.claim, context.clock.now());
  await context.checkpoint('creating', held.transfer.id);
  assertHeld(held, context.clock);
  return announced;
}

function requestOf(held: HeldTransfer, context: TransferContext): Omit<CreateRequest, 'onSending'> {
  const { transfer } = held;
  const { attachmentId, byteSize } = attachmentOf(transfer);
  const findLeft = async () => {
    const look = await lookForRecord(held, context);
    if (look.verdict === 'unclear') throw unclearRecord(held, look.why);
    return look.verdict === 'found' ? look.record : null;
  };
  const destination = destinationOf(transfer);
  return { destination, attachmentId, name: transfer.name, byteSize, findLeft };
}

// What the service refuses for good is told at once, unless its effect is in the folder all the same.
async function foundAtOnce(
  held: HeldTransfer,
  error: ServiceError,
  context: TransferContext,
): Promise<FileRecord> {
  if (error.retry !== 'never') throw new UnansweredCreate(error);
  const look = await lookForRecord(held, context);
  if (look.verdict === 'found') return look.record;
  throw error;
}
