import type { App } from '@slack/bolt';
import { ACTIONS, changeRefused, shareValue, type View } from '../blocks/index.ts';
import { verdictOn } from '../transfers/index.ts';
import type { Asked } from './asked.ts';
import type { ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';

/** Retry and Try now: members may ask for another try of any files of the channel. */
export function listenForRetry(app: App, context: ListenerContext): void {
  onPress(app, context, {
    action: ACTIONS.retryShare,
    doing: 'retry',
    replace: false,
    value: shareValue,
    handle: retry,
  });
}

// The line in the thread shows what comes of it, so there is nothing to answer.
async function retry(
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
  await ledger.retryShare(shareId, clock.now());
  wake();
  return null;
}
