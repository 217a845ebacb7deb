import { changeRefused, nothingToRetry, type View } from '../blocks/index.ts';
import { verdictOn } from '../transfers/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Retry and Try now: members may ask for another try of any files of the channel. The line in the
 * thread shows what comes of it; where there is nothing to try, the answer says so.
 */
export async function retryShare(
  asked: Asked,
  shareId: number,
  { ledger, findDestination, clock, wake }: ListenerContext,
): Promise<View | null> {
  const { team, channel } = asked;
  const share = await ledger.findShareById(shareId);
  if (!share || share.team !== team || share.channel !== channel) return null;
  const verdict = verdictOn(asked, 'retry-share', share.userId);
  if (verdict !== 'allowed') return changeRefused({ change: 'retry', reason: verdict });
  const destination = await findDestination({ team, channel });
  if (destination) await ledger.redirectShare(shareId, destination);
  const count = await ledger.retryShare(shareId, clock.now());
  wake();
  return count > 0 ? null : nothingToRetry();
}
