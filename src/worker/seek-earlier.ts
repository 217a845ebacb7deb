import { PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import { earlierRecords, type HistoryFile } from '../transfers/index.ts';
import type { HeldTransfer } from './job.ts';
import { type SettleContext, settleFiled, settleRefused } from './settle.ts';
import type { FolderView } from './view-folder.ts';

/** A file that history brought and that may have been filed before the ledger knew of it. */
export function isSought({ transfer }: HeldTransfer): boolean {
  return transfer.earlier !== null;
}

/** Returns a sought file as its folder is searched for it, with the time of its message. */
export function historyFile({ name, slackSize, message }: Transfer): HistoryFile {
  // Whole milliseconds: PostgreSQL takes no others for the times of records.
  const sharedAt = Math.floor(Number(message.split('/').at(-1)) * 1000);
  return { name, slackSize, sharedAt };
}

/** The wait before the next look when the folder is refused for the first time, in milliseconds. */
const ASK_AGAIN_MS = 30_000;

/**
 * Settles a file that history brought and that may have been filed before, as the ledger may be new
 * or an old copy. It is filed as the record that its folder shows, without an upload. Without one it
 * is sent, unless its message bears our mark: its record was deleted then, and a person decides.
 * `view`: null if the folder cannot be listed; that is believed once it is refused a while later, too.
 */
export async function settleEarlier(
  held: HeldTransfer,
  view: FolderView | null,
  context: SettleContext & Required<Pick<SettleContext, 'isListed'>>,
): Promise<void> {
  const { transfer, claim } = held;
  const { ledger, clock } = context;
  if (view) {
    const { verdict, records } = earlierRecords(historyFile(transfer), view);
    // Some accounts list the whole project for a folder that is gone.
    const isThere = records.length > 0 && (await context.isListed()) !== false;
    for (const record of isThere ? records : [])
      if (await settleFiled(held, record, context)) return;
    if (verdict === 'unclear' || !view.list.complete) throw unclearEarlier(transfer.id);
  }
  // One refusal may be a proxy's, and the file be there.
  if (!view && transfer.nextTryAt === null)
    return ledger.release(claim, { dueAt: clock.now() + ASK_AGAIN_MS });
  if (transfer.earlier === 'marked')
    return settleRefused(held, { code: 'FILED_BEFORE', note: null }, context);
  await ledger.sendAfterLook(claim, clock.now());
}

function unclearEarlier(id: number): PigeonholeError {
  const message = `whether transfer ${id} was filed before cannot be told from its folder`;
  return new PigeonholeError('RECORD_UNCLEAR', message, { retry: 'later' });
}
