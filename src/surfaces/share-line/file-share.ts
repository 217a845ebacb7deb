import { type Handler, readerOf, refusalOf } from '../kit/answer.ts';
import { nowhereToFile } from '../link/earlier-files-view.ts';
import { shareHere } from './share-here.ts';
import { NOTHING_TO_FILE } from './share-line.ts';

/**
 * Handles File it, for any share of the channel: files what was left in Slack, or shared before the
 * channel had a folder. The message's reaction and line show the outcome, so the answer is null unless
 * nothing is filed.
 */
export const fileShare: Handler<{ shareId: number }> = async (asked, claim, context) => {
  const share = await shareHere(asked, claim, context);
  if (!share) return null;
  const refusal = refusalOf(asked, 'file-earlier');
  if (refusal) return refusal;
  const destination = await context.findDestination(share);
  if (!destination) return nowhereToFile(readerOf(asked));
  const now = context.clock.now();
  const count = await context.ledger.fileShare(share, { destination, now });
  context.wake();
  return count > 0 ? null : NOTHING_TO_FILE;
};
