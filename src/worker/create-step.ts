import type { ErrorCode } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import { type FileRecord, ServiceError } from '../service/index.ts';
import { findRecord } from './reconcile-step.ts';
import { settleRecord } from './settle-record.ts';
import {
  assertHeld,
  bulkCall,
  type HeldTransfer,
  type TransferContext,
} from './transfer-context.ts';
import { attachmentOf, destinationOf } from './transfer-parts.ts';

/** What a service answers that does not know an attachment any more. */
const STALE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVICE_BAD_REQUEST',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
]);

/**
 * Puts the attachment into the folder. The intent is in the ledger before anything is sent, so that
 * a create without an answer is reconciled and never simply repeated.
 */
export async function createStep(held: HeldTransfer, context: TransferContext): Promise<void> {
  const record = await create(held, context);
  await context.checkpoint('create-answered', held.transfer.id);
  await settleRecord(held, record, context);
}

async function create(held: HeldTransfer, context: TransferContext): Promise<FileRecord> {
  const { transfer, claim } = held;
  const { attachmentId, byteSize } = attachmentOf(transfer);
  let begun = false;
  const onSending = async () => {
    await context.ledger.markCreating(claim, context.clock.now());
    begun = true;
    await context.checkpoint('creating', transfer.id);
    assertHeld(held, context.clock);
  };
  const request = {
    destination: destinationOf(transfer),
    attachmentId,
    name: transfer.name,
    byteSize,
  };
  try {
    const findLeft = () => findRecord(held, context);
    return await context.service.createFile({ ...request, onSending, findLeft }, bulkCall(held));
  } catch (error) {
    if (begun && hadNoEffect(error)) await context.ledger.markNotCreated(claim);
    throw error;
  }
}

/** Whether a failed create is known to have left no record. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof ServiceError && error.sent !== 'unknown';
}

/** Whether the service may have forgotten an attachment that waited: uploading it anew can help. */
export function isStaleAttachment(error: unknown, claimed: Transfer): boolean {
  if (claimed.state === 'recorded' || !(error instanceof ServiceError)) return false;
  return STALE_CODES.has(error.code);
}
