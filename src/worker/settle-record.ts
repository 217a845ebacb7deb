import { PigeonholeError } from '../base/index.ts';
import { LedgerError } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { attachmentOf } from './transfer-parts.ts';

/**
 * Checks the record against what was sent, and records it: the file is in its folder. Returns
 * `taken`, with nothing done, when another transfer holds the record: then it is not this one's.
 * Rejects with RECORD_SIZE_MISMATCH when the service records another size than was sent.
 */
export async function settleRecord(
  held: HeldTransfer,
  record: FileRecord,
  { ledger, clock, checkpoint }: TransferContext,
): Promise<'filed' | 'taken'> {
  const { byteSize } = attachmentOf(held.transfer);
  if (record.byteSize !== null && record.byteSize !== byteSize) {
    const message = `record ${record.id} has ${record.byteSize} bytes, ${byteSize} were sent`;
    throw new PigeonholeError('RECORD_SIZE_MISMATCH', message);
  }
  try {
    await ledger.markFiled(held.claim, { recordId: record.id, now: clock.now() });
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_CONFLICT') return 'taken';
    throw error;
  }
  await checkpoint('filed', held.transfer.id);
  return 'filed';
}
