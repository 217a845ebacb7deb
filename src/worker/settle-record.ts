import { PigeonholeError } from '../base/index.ts';
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
  if (record.byteSize !== byteSize) {
    const message = `record ${record.id} has ${record.byteSize} bytes, ${byteSize} were sent`;
    throw new PigeonholeError('RECORD_SIZE_MISMATCH', message);
  }
  await ledger.markFiled(held.claim, { recordId: record.id, now: clock.now() });
  await checkpoint('filed', held.transfer.id);
}
