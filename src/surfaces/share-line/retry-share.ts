import { type Handler, refusalOf } from '../kit/answer.ts';
import { tryAgain } from '../link/earlier-files.ts';
import { NOTHING_TO_RETRY } from '../status/attention-view.ts';
import { shareHere } from './share-here.ts';

/**
 * Handles Try again, for any share of the channel. The line in the thread shows the
 * outcome, so the answer is null unless there is nothing to retry or the person may not.
 */
export const retryShare: Handler<{ shareId: number }> = async (asked, claim, context) => {
  const share = await shareHere(asked, claim, context);
  if (!share) return null;
  const refusal = refusalOf(asked, 'retry', share.userId);
  if (refusal) return refusal;
  const to = await context.findDestination(share);
  const count = await tryAgain([share], { to, unseenToo: true }, context);
  return count > 0 ? null : NOTHING_TO_RETRY;
};
