import { PigeonholeError } from '../base/index.ts';
import { LedgerError } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { attachmentOf } from './transfer-parts.ts';

/** Checks the record against what was sent, and records it: the file is in its folder. */
export async function settleRecord(
  held: HeldTransfer,
  record: FileRecord,
  { ledger, clock, checkpoint }: TransferContext,
): Promise<void> {
  const { byteSize } = attachmentOf(held.transfer);
  if (record.byteSize !== null && record.byteSize !== byteSize) {
    const message = `record ${record.id} has ${record.byteSize} bytes, ${byteSize} were sent`;
    throw new PigeonholeError('RECORD_SIZE_MISMATCH', message);
  }
  try {
    await ledger.markFiled(held.claim, { recordId: record.id, now: clock.now() });
  } catch (error) {
    throw isConflict(error) ? recordTaken(record) : error;
  }
  await checkpoint('filed', held.transfer.id);
}

function isConflict(error: unknown): boolean {
  return error instanceof LedgerError && error.code === 'LEDGER_CONFLICT';
}

// Going on would create the file again and again: somebody has to look at the folder.
function recordTaken({ id }: FileRecord): PigeonholeError {
  return new PigeonholeError('RECORD_TAKEN', `record ${id} belongs to another file already`);
}
