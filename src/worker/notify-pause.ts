import { channelPaused, linkPaused } from '../blocks/index.ts';
import { mayBeRepeated, unlessRefused } from '../slack/index.ts';
import { type ChannelRef, may } from '../transfers/index.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Notifies once about a paused link: the member who linked the channel, in a direct message with a
 * button to choose another folder; or the channel, if that member is unknown, cannot be notified or
 * may not link it any more. Records the notice first, so that nobody is notified twice. Rejects
 * with SlackCallError when the notice was certainly not posted and may be later.
 */
export async function notifyOfPause(ref: ChannelRef, context: WorkerContext): Promise<void> {
  const { ledger, workspace, clock, logger, linkBy } = context;
  const link = await ledger.findLink(ref);
  if (!link?.pausedFor || link.pauseNotified) return;
  const linker = (await mayLink(link.linkedBy, context)) ? link.linkedBy : null;
  const notifiedAt = clock.now();
  const paused = await ledger.claimPauseNotice(ref, notifiedAt);
  if (!paused?.pausedFor) return;
  const pause = { reason: paused.pausedFor, folder: paused };
  try {
    const view = linkPaused({ ...pause, channel: ref.channel });
    const isNotified =
      linker === paused.linkedBy && (await unlessRefused(workspace.notify(linker, view))) !== null;
    if (!isNotified) await workspace.announce(ref.channel, channelPaused({ ...pause, linkBy }));
  } catch (error) {
    if (mayBeRepeated(error)) {
      await ledger.dropPauseNotice(ref, notifiedAt);
      throw error;
    }
    logger.warn({ channel: ref.channel, error }, 'Nobody could be notified that a link is paused');
  }
}

// Runs before claimPauseNotice, so that no notice is recorded while Slack is unreachable.
async function mayLink(userId: string, { workspace, linkBy }: WorkerContext): Promise<boolean> {
  if (!userId) return false;
  const actor = await unlessRefused(workspace.actor(userId, null));
  return actor !== null && may({ ...actor, linkBy }, 'link-channel');
}
