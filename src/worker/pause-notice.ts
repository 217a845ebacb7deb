import { channelPaused, linkPaused, type View } from '../blocks/index.ts';
import type { ChannelRef, Ledger, PauseToNotify } from '../ledger/index.ts';
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
export async function notifyOfPause(ref: ChannelRef, context: PauseNoticeContext): Promise<void> {
  const { ledger, clock, logger } = context;
  const link = await ledger.findLink(ref);
  if (!link?.pausedFor || link.pauseNotified) return;
  const linker = (await mayLink(link.linkedBy, context)) ? link.linkedBy : null;
  const pause = await ledger.claimPauseNotice(ref, clock.now());
  if (!pause) return;
  try {
    const { linkedBy, pausedFor: reason, folder } = pause;
    const view = linkPaused({ reason, folder, channel: ref.channel });
    const toLinker = linker !== null && linker === linkedBy;
    if (!toLinker || !(await notifyLinker(linker, view, context)))
      await announcePause(ref, pause, context);
  } catch (error) {
    if (error instanceof SlackCallError && error.notDone && error.code !== 'SLACK_REFUSED') {
      await ledger.dropPauseNotice(ref);
      throw error;
    }
    logger.warn({ channel: ref.channel, error }, 'Nobody could be told that a link is paused');
  }
}

// Asked of Slack first, so that nothing is noted as told while Slack cannot be reached.
async function mayLink(
  userId: string,
  { workspace, linkBy }: PauseNoticeContext,
): Promise<boolean> {
  if (!userId) return false;
  const actor = await unlessRefused(() => workspace.actor(userId, null));
  return actor !== null && may({ ...actor, linkBy }, 'link-channel');
}

/** False where Slack refuses it. */
async function notifyLinker(
  userId: string,
  view: View,
  { workspace }: PauseNoticeContext,
): Promise<boolean> {
  return (await unlessRefused(() => workspace.notify(userId, view))) !== null;
}

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof SlackCallError && error.code === 'SLACK_REFUSED') return null;
    throw error;
  }
}

async function announcePause(
  { channel }: ChannelRef,
  { pausedFor: reason, folder }: PauseToNotify,
  { workspace, linkBy }: PauseNoticeContext,
): Promise<void> {
  await workspace.announce(channel, channelPaused({ reason, folder, linkBy }));
}
