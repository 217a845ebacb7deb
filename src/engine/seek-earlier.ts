import { PigeonholeError } from '../base/index.ts';
import { earlierRecords, type SoughtFile, sharedAt } from '../core/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { HeldTransfer } from './job.ts';
import { type SettleContext, settleFiled, settleRefused } from './settle.ts';
import { type FolderView, unseenPart } from './view-folder.ts';

/** A file that may have been filed before: history brought it, or the ledger may be an old copy. */
export function isSought({ transfer }: HeldTransfer): boolean {
  return transfer.earlier !== null;
}

/** Returns a sought file as its folder is searched for it, with the time of its message. */
export function soughtFile({ name, byteSize, slackSize, message }: Transfer): SoughtFile {
  return { name, size: byteSize ?? slackSize, sharedAt: sharedAt({ message }) };
}

/**
 * Settles a file that may have been filed before. It is filed as the record that its folder shows;
 * without one it is sent, unless its message bears our mark: its record was deleted then, and a person
 * decides.
 */
export async function settleEarlier(
  held: HeldTransfer,
  view: FolderView,
  context: SettleContext & Required<Pick<SettleContext, 'isListed'>>,
): Promise<void> {
  const { transfer, claim } = held;
  const { ledger, clock } = context;
  const { verdict, records, byOthers } = earlierRecords(soughtFile(transfer), view);
  // Some accounts list the whole project for a folder that is gone.
  const isThere = records.length > 0 && (await context.isListed()) !== false;
  for (const record of isThere ? records : []) if (await settleFiled(held, record, context)) return;
  const why = verdict === 'unclear' ? 'a record may be another’s' : unseenPart(view, byOthers);
  if (why !== null) throw unclearEarlier(transfer.id, why);
  if (transfer.earlier === 'marked')
    return settleRefused(held, { code: 'FILED_BEFORE', note: null }, context);
  await ledger.sendAfterLook(claim, clock.now());
}

function unclearEarlier(id: number, why: string): PigeonholeError {
  const message = `whether transfer ${id} was filed before is not known: ${why}`;
  return new PigeonholeError('RECORD_UNCLEAR', message, { retry: 'later' });
}
