import type { App } from '@slack/bolt';
import { ACTIONS, readShareValue } from '../blocks/index.ts';
import type { Asked } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';

/** Retry and Try now: everybody in the channel may ask for another try of its files. */
export function listenForRetry(app: App, context: ListenerContext): void {
  onPress(app, context, {
    action: ACTIONS.retryShare,
    doing: 'retry',
    replace: false,
    read: readShareValue,
    handle: retry,
  });
}

// The line in the thread shows what comes of it, so there is nothing to answer.
async function retry(
  { team, channel }: Asked,
  shareId: number,
  { ledger, findDestination, clock, wake }: ListenerContext,
): Promise<null> {
  const share = await ledger.findShareById(shareId);
  if (!share || share.team !== team || share.channel !== channel) return null;
  const destination = await findDestination({ team, channel });
  if (destination) await ledger.redirectShare(shareId, destination);
  await ledger.retryShare(shareId, clock.now());
  wake();
  return null;
}
