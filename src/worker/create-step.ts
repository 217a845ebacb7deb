import type { Transfer } from '../ledger/index.ts';
import { type CreateRequest, type FileRecord, ServiceError } from '../service/index.ts';
import { OpenCreateError } from './failed-create.ts';
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
 * OpenCreateError where it is not known whether there was an effect.
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
  const announced = () => ({ ...held, transfer: begun.at(-1) ?? held.transfer });
  const findLeft = (answeredAt: number) => findLeftBy(answeredAt, announced(), context);
  try {
    const request = { ...requestOf(held), onSending, findLeft };
    const record = await context.service.createFile(request, bulkCall(held));
    return { transfer: announced().transfer, record };
  } catch (error) {
    if (begun.length === 0 || !(error instanceof ServiceError)) throw error;
    if (error.sent === 'no') {
      await context.ledger.markNotCreated(held.claim);
      throw error;
    }
    return afterError(announced(), error, context);
  }
}

async function announce(held: HeldTransfer, context: TransferContext): Promise<Transfer> {
  const announced = await context.ledger.markCreating(held.claim, context.clock.now());
  await context.checkpoint('creating', held.transfer.id);
  assertHeld(held, context.clock);
  return announced;
}

function requestOf({ transfer }: HeldTransfer): Omit<CreateRequest, 'onSending' | 'findLeft'> {
  const { attachmentId, byteSize } = attachmentOf(transfer);
  return { destination: destinationOf(transfer), attachmentId, name: transfer.name, byteSize };
}

async function findLeftBy(
  answeredAt: number,
  held: HeldTransfer,
  context: TransferContext,
): Promise<FileRecord | null> {
  const answered = { ...held, transfer: { ...held.transfer, answeredAt } };
  const look = await lookForRecord(answered, context);
  if (look.verdict === 'unclear') throw unclearRecord(held, look.why);
  return look.verdict === 'found' ? look.record : null;
}

// No answer proves that nothing was made: what is not told as refused stays open, and its folder is
// looked at before it is sent again.
async function afterError(
  held: HeldTransfer,
  error: ServiceError,
  context: TransferContext,
): Promise<Created> {
  if (error.sent === 'unknown') throw new OpenCreateError(error);
  const answeredAt = context.clock.now();
  const serviceTime = error.serviceTime ?? null;
  const transfer = await context.ledger.markAnswered(held.claim, { answeredAt, serviceTime });
  if (mayPass(error)) throw new OpenCreateError(error);
  return { transfer, record: await refusedRecord({ ...held, transfer }, error, context) };
}

// A key that is not accepted is for the operator to mend.
function mayPass({ code, retry }: ServiceError): boolean {
  return retry !== 'never' || code === 'SERVICE_UNAUTHORIZED';
}

// A refusal is told as one only when its folder does not show the file; where access to that is
// denied too it is told, and stays open.
async function refusedRecord(
  held: HeldTransfer,
  error: ServiceError,
  context: TransferContext,
): Promise<FileRecord> {
  const look = await lookForRecord(held, context).catch((cause: unknown) => {
    if (!(cause instanceof ServiceError)) throw cause;
    throw mayPass(cause) ? new OpenCreateError(error) : error;
  });
  if (look.verdict === 'found') return look.record;
  if (look.verdict === 'unclear') throw unclearRecord(held, look.why);
  await context.ledger.markAbsent(held.claim);
  throw error;
}
