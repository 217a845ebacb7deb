import type { Problem } from '../ledger/index.ts';
import type { MessageRef } from '../transfers/index.ts';
import type { FilingContext, HeldTransfer } from './filing-context.ts';

type SettleTools = Pick<FilingContext, 'ledger' | 'clock' | 'logger'>;

/**
 * Ends a transfer whose file is in its folder, as this record or as one that cannot be told (null), and
 * logs it. Rejects with LEDGER_CONFLICT when another transfer holds the record.
 */
export async function settleFiled(
  held: HeldTransfer,
  recordId: number | null,
  { ledger, clock, logger }: SettleTools,
): Promise<void> {
  const message = await ledger.markFiled(held.claim, { recordId, now: clock.now() });
  const text = recordId === null ? 'A file was filed; its record is not known' : 'A file was filed';
  logger.info({ ...idsOf(held, message), record: recordId }, text);
}

/** Ends a transfer that cannot be filed, and logs why. */
export async function settleRefused(
  held: HeldTransfer,
  problem: Problem,
  { ledger, clock, logger }: SettleTools,
): Promise<void> {
  const message = await ledger.markRefused(held.claim, { problem, now: clock.now() });
  logger.warn({ ...idsOf(held, message), ...problem }, 'A file was refused');
}

/** What leads from the message in Slack to the folder. */
function idsOf({ transfer: { id, file, destination } }: HeldTransfer, message: MessageRef) {
  return { ...message, file: file.id, transfer: id, ...destination };
}
