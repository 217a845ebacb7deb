import { channelPaused, linkPaused } from '../blocks/index.ts';
import type { ChannelRef, Ledger, UntoldPause } from '../ledger/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { may } from '../transfers/index.ts';
import type { NotifyContext } from './worker-context.ts';

export interface PauseNoticeContext extends Pick<NotifyContext, 'clock' | 'logger' | 'linkBy'> {
  ledger: Pick<Ledger, 'findLink' | 'claimPauseNotice' | 'dropPauseNotice'>;
  workspace: Pick<NotifyContext['workspace'], 'actor' | 'announce' | 'notify'>;
}

/**
 * Tells of a link that is paused, once: privately whoever linked the channel, with a button to choose
 * another folder; or the channel, where they are not known, cannot be told or may not link it any more.
 * It is noted before it is told, so that nobody is told twice. Rejects with SlackCallError where it was
 * surely not told and may be later.
 */
export async function tellOfPause(ref: ChannelRef, context: PauseNoticeContext): Promise<void> {
  const { ledger, clock, logger } = context;
  const link = await ledger.findLink(ref);
  if (!link?.pausedFor || link.pauseTold) return;
  const pause = await ledger.claimPauseNotice(ref, clock.now());
  if (!pause) return;
  try {
    if (!(await tellLinker(ref, pause, context))) await tellChannel(ref, pause, context);
  } catch (error) {
    if (error instanceof SlackCallError && error.notDone && error.code !== 'SLACK_REFUSED') {
      await ledger.dropPauseNotice(ref);
      throw error;
    }
    logger.warn({ channel: ref.channel, error }, 'Nobody could be told that a link is paused');
  }
}

/** False where they are not to be told, or Slack refuses it. */
async function tellLinker(
  { channel }: ChannelRef,
  { linkedBy, pausedFor: reason, folder }: UntoldPause,
  { workspace, linkBy }: PauseNoticeContext,
): Promise<boolean> {
  if (!linkedBy) return false;
  try {
    const actor = await workspace.actor(linkedBy, null);
    if (!may({ ...actor, linkBy }, 'link-channel')) return false;
    await workspace.notify(linkedBy, linkPaused({ reason, folder, channel }));
    return true;
  } catch (error) {
    if (error instanceof SlackCallError && error.code === 'SLACK_REFUSED') return false;
    throw error;
  }
}

async function tellChannel(
  { channel }: ChannelRef,
  { pausedFor: reason, folder }: UntoldPause,
  { workspace, linkBy }: PauseNoticeContext,
): Promise<void> {
  await workspace.announce(channel, channelPaused({ reason, folder, linkBy }));
}
