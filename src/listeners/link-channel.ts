import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { failureOf, type SlackCallErrorCode, slackTs } from '../slack/index.ts';
import { type Destination, type FolderRef, isDirect, verdictOn } from '../transfers/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf, refusalOf } from './answer.ts';
import { offerEarlier, settleWaiting } from './earlier-files.ts';
import type { ListenerContext } from './listener-context.ts';
import { findUsable, isTyped, type Unusable } from './resolve-folder.ts';

/** The greatest expected difference between Slack's clock and ours, in milliseconds. */
export const SKEW_MS = 5_000;

/** Links a channel to the typed or chosen folder if the person may and it takes files. */
export const linkChannel: Handler<string> = async (asked, typed, context) => {
  const done = await tryLink(asked, { typed }, context);
  if (!('reason' in done)) return done.answer?.() ?? null;
  return views.linkRefused({ ...readerOf(asked), ...done });
};

/** The answer to the person (null for none), or the reason why the channel was not linked. */
type LinkOutcome = { answer: PrivateView | null } | Unusable;

interface LinkWanted {
  typed: string;
  /** Whether to notify the channel of files that others add; null: as before. Default: null. */
  announces?: boolean | null;
}

/** Does the same as linkChannel, but returns a refusal as a reason for the caller to word. */
export const tryLink: Handler<LinkWanted, LinkOutcome> = async (asked, wanted, context) => {
  const { typed, announces = null } = wanted;
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return { reason: verdict, typed };
  const linked = await linkedAlready(asked, wanted, context);
  const folder = linked ?? (await findUsable(asked, typed, context));
  if ('reason' in folder) return folder;
  return { answer: await linkTo(asked, { folder, announces }, context) };
};

// Returns the channel's own folder if only its announcements change: that needs no look into it.
const linkedAlready: Handler<LinkWanted, FolderRef | null> = async (asked, wanted, context) => {
  const { ledger, names, accountUrl } = context;
  const { typed, announces = null } = wanted;
  const link = announces === null ? null : await ledger.findLink(asked);
  if (!link || link.pausedFor || !isTyped(typed, link, accountUrl)) return null;
  return announces === (await ledger.isWatched(asked)) ? null : names.nameFolder(link);
};

interface FolderWanted {
  folder: FolderRef;
  announces: boolean | null;
}

// Returns the question about earlier files, else what the channel is not told of. If the change
// could not be posted in the channel, the answer repeats it above that.
const linkTo: Handler<FolderWanted, PrivateView | null> = async (asked, wanted, context) => {
  const { ledger, clock, logger, wake, inBackground } = context;
  const { folder } = wanted;
  const linkedAt = clock.now();
  // Marked before the link is set: every link needs the point from which its history is read.
  await markHistory(asked, linkedAt, context);
  const link = { ...folder, linkedBy: asked.userId, linkedAt };
  // After a double press only one of the links is new, and the channel is notified only once.
  const { isNew, wasFolder } = await ledger.setLink(asked, link);
  if (isNew) logger.info(idsOf(asked, folder), 'A channel was linked');
  try {
    const { on, changed } = await storeAnnounces(asked, wanted.announces, context);
    const about = { ...readerOf(asked), folder, byUserId: asked.userId };
    const switched = changed ? views.announcementsSwitched({ ...about, on }) : null;
    const view = isNew ? views.linked({ ...about, wasFolder, announces: on }) : switched;
    const code = await announce(asked.channel, view, context);
    if (code === 'not-in-channel') return await linkedUnseen(asked, folder, context);
    const isRefused = wanted.announces && !on;
    const say = isRefused ? views.noAnnouncements : views.alreadyLinked;
    const remark = view && !isRefused ? null : (to?: string) => say({ ...about, elsewhere: to });
    const answer = (await offerEarlier(asked, folder, context)) ?? remark;
    if (view === null || code === 'done') return answer;
    return (elsewhere) =>
      views.stacked(view, views.notAnnounced({ code, elsewhere }), answer?.(elsewhere) ?? null);
  } finally {
    if (isNew) wake();
    if (wasFolder) inBackground(settleWaiting(asked, wasFolder, context));
  }
};

/**
 * Stores whether the channel is notified of files that others add: as chosen, else (null) as before,
 * and never for the default folder. Returns the stored value, and whether that is a change.
 */
const storeAnnounces: Handler<boolean | null, { on: boolean; changed: boolean }> = async (
  asked,
  chosen,
  { ledger, findDestination, clock, logger, wake },
) => {
  const isDefault = (await findDestination(asked))?.isDefault ?? true;
  const was = await ledger.isWatched(asked);
  const on = !isDefault && (chosen ?? was);
  const changed = on !== was && (await ledger.setWatched(asked, { on, now: clock.now() }));
  if (changed) {
    const { team, channel, userId: user } = asked;
    logger.info({ team, channel, user, on }, 'Announcements of added files were switched');
    wake();
  }
  return { on, changed };
};

/** The log fields of a link change. */
function idsOf({ team, channel, userId: user }: Asked, { projectId, folderId }: Destination) {
  return { team, channel, projectId, folderId, user };
}

// The bot can be added to a channel later, but not to a direct message between others.
const linkedUnseen: Handler<FolderRef, PrivateView> = async (asked, folder, context) => {
  if (!isDirect(asked)) return (elsewhere) => views.notInChannel({ folder, elsewhere });
  await context.ledger.removeLink(asked);
  context.logger.info(idsOf(asked, folder), 'A channel was unlinked');
  return () => views.NOT_IN_CONVERSATION;
};

// If the channel already had a folder, the catch-up still reads what it missed until now.
const markHistory: Handler<number, void> = async (asked, linkedAt, context) => {
  const { ledger, findDestination } = context;
  const from = slackTs(linkedAt - SKEW_MS);
  if (!(await findDestination(asked))) return ledger.confirmUpTo(asked, from);
  await ledger.confirmFirst(asked, (await ledger.catchUpSince(asked)) ?? from);
};

/** Announces a change; returns the answer for the person, null if the channel got the message. */
const announceInChannel: Handler<View> = async ({ channel }, view, context) => {
  const code = await announce(channel, view, context);
  if (code === 'done') return null;
  return code === 'not-in-channel' ? view : views.stacked(view, views.notAnnounced({ code }));
};

/** Removes a channel's link. The files in the folder stay there. */
export async function unlinkChannel(asked: Asked, context: ListenerContext): Promise<View | null> {
  const refusal = refusalOf(asked, 'unlink');
  if (refusal) return refusal;
  const link = await context.ledger.removeLink(asked);
  if (!link) return views.notLinked(readerOf(asked));
  context.logger.info(idsOf(asked, link), 'A channel was unlinked');
  const fallback = await context.findDestination(asked);
  const view = views.unlinked({
    ...readerOf(asked),
    folder: link,
    byUserId: asked.userId,
    fallback: fallback && (await context.names.nameFolder(fallback)),
  });
  const answer = await announceInChannel(asked, view, context);
  context.inBackground(settleWaiting(asked, link, context));
  return answer;
}

/**
 * Switches on or off whether a channel is notified of files that others add to its folder, if the
 * person may link it. If `wanted` is null, only shows the current setting.
 */
export const announceAdded: Handler<boolean | null> = async (asked, wanted, context) => {
  const refusal = wanted === null ? null : refusalOf(asked, 'announce');
  if (refusal) return refusal;
  const { channel, userId: byUserId } = asked;
  const destination = await context.findDestination(asked);
  if (!destination) return views.noDestinationHint(readerOf(asked));
  const folder = await context.names.nameFolder(destination);
  if (destination.isDefault) return views.noAnnouncements({ ...readerOf(asked), folder });
  const { on, changed } = await storeAnnounces(asked, wanted, context);
  if (on && !(await context.workspace.isIn(channel))) return views.announcementsUnseen({ folder });
  if (!changed) return views.announcementsStand({ ...readerOf(asked), folder, on });
  return announceInChannel(asked, views.announcementsSwitched({ folder, on, byUserId }), context);
};

/**
 * Posts a completed change in its channel; with null, only checks that the bot is in it. A refusal
 * by Slack is returned, not thrown.
 */
export async function announce(
  channel: string,
  view: View | null,
  { workspace, logger }: ListenerContext,
): Promise<'done' | 'not-in-channel' | SlackCallErrorCode> {
  if (view === null) return (await workspace.isIn(channel)) ? 'done' : 'not-in-channel';
  const error = await failureOf(workspace.announce(channel, view));
  if (error === null) return 'done';
  if (/not_in_channel|channel_not_found/.test(error.reason)) return 'not-in-channel';
  logger.warn({ channel, error }, 'A channel could not be notified of a change');
  return error.code;
}
