import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import type { PausableLink } from '../ledger/index.ts';
import { failureOf, type SlackCallErrorCode, slackTs } from '../slack/index.ts';
import {
  type Destination,
  type FolderRef,
  linkIfTo,
  sameDestination,
  verdictOn,
} from '../transfers/index.ts';
import {
  type Asked,
  type Handler,
  isDirect,
  type PrivateView,
  readerOf,
  refusalOf,
} from './answer.ts';
import { offerEarlier, settleWaiting } from './earlier-files.ts';
import type { ListenerContext } from './listener-context.ts';
import { findUsable, type Unusable } from './resolve-folder.ts';
import { nameFolder } from './show-files.ts';

/** The greatest expected difference between Slack's clock and ours. */
const SKEW_MS = 5_000;

/** Links a channel to the typed or chosen folder if the person may and the folder exists. */
export const linkChannel: Handler<string> = async (asked, typed, context) => {
  const done = await tryLink(asked, { typed }, context);
  if (!('reason' in done)) return done.answer?.() ?? null;
  return views.linkRefused({ ...readerOf(asked), ...done });
};

/** The answer to the person (null for none), or the reason why the channel was not linked. */
type LinkOutcome = { answer: PrivateView | null } | Unusable;

interface LinkWanted {
  typed: string;
  /** Whether to notify the channel of files that others add. Default: as before. */
  announces?: boolean;
}

/** Does the same as linkChannel, but returns a refusal as a reason for the caller to word. */
export const tryLink: Handler<LinkWanted, LinkOutcome> = async (asked, wanted, context) => {
  const { typed, announces } = wanted;
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return { reason: verdict, typed };
  const { ledger } = context;
  const before = await ledger.findLink(asked);
  const inUse = before?.pausedFor === null ? before : null;
  const folder = await findUsable(asked, { typed, inUse }, context);
  if ('reason' in folder) return folder;
  // Read again: the lists of the account may have taken long.
  const isLinked = isWorking(await ledger.findLink(asked), folder);
  // The folder was not tried if the link stood before.
  if (!isLinked && isWorking(before, folder)) return tryLink(asked, wanted, context);
  const link = isLinked ? linkToSame : linkTo;
  return { answer: await link(asked, { folder, announces }, context) };
};

interface FolderWanted {
  folder: FolderRef;
  announces: boolean | undefined;
}

const linkTo: Handler<FolderWanted, PrivateView | null> = async (asked, wanted, context) => {
  const { folder } = wanted;
  const linkedAt = context.clock.now();
  const link = { ...folder, linkedBy: asked.userId, linkedAt };
  // Marked before the link is set: every link needs the point from which its history is read.
  await markHistory(asked, linkedAt, context);
  const before = await context.ledger.setLink(asked, link);
  // After a double press the channel is notified only once.
  if (isWorking(before, folder)) return linkToSame(asked, wanted, context);
  context.logger.info(idsOf(asked, link), 'A channel was linked');
  const announces = await storeAnnounces(asked, wanted.announces, context);
  const wasFolder = before && !sameDestination(before, folder) ? before : null;
  const change = { folder, isDirect: isDirect(asked), byUserId: asked.userId, wasFolder };
  const view = views.linked({ ...change, announces });
  const noAnnouncements: PrivateView | null =
    wanted.announces && !announces
      ? (elsewhere) => views.noAnnouncements({ ...readerOf(asked), folder, elsewhere })
      : null;
  return announceLink(asked, { folder, view, noAnnouncements }, context).finally(() => {
    context.wake();
    if (wasFolder) context.inBackground(settleWaiting(asked, wasFolder, context));
  });
};

// Announces a link. Returns the answer: the question about earlier files, else `noAnnouncements`. If
// the announcement could not be posted, the answer repeats it above that.
const announceLink: Handler<
  { folder: FolderRef; view: View; noAnnouncements?: PrivateView | null },
  PrivateView | null
> = async (asked, { folder, view, noAnnouncements = null }, context) => {
  const code = await announce(asked.channel, view, context);
  if (code === 'not-in-channel') return linkedUnseen(asked, folder, context);
  const offer = (await offerEarlier(asked, folder, context)) ?? noAnnouncements;
  if (code === 'done') return offer;
  return (elsewhere) =>
    views.notAnnounced({ view, code, question: offer?.(elsewhere) ?? null, elsewhere });
};

function isWorking(link: PausableLink | null, folder: Destination): boolean {
  return linkIfTo(folder, link)?.pausedFor === null;
}

// On the same folder, only the announcements of files that others add can change.
const linkToSame: Handler<FolderWanted, PrivateView | null> = async (asked, wanted, context) => {
  const { ledger, workspace } = context;
  const { folder } = wanted;
  const where = { folder, isDirect: isDirect(asked) };
  const was = await ledger.isWatched(asked);
  const on = await storeAnnounces(asked, wanted.announces, context);
  if (!where.isDirect && !(await workspace.isIn(asked.channel)))
    return linkedUnseen(asked, folder, context);
  if (on !== was) {
    const view = views.announcementsSwitched({ folder, on, byUserId: asked.userId });
    return announceLink(asked, { folder, view }, context);
  }
  const offer = await offerEarlier(asked, folder, context);
  return offer ?? ((elsewhere) => views.alreadyLinked({ ...where, elsewhere }));
};

/**
 * Stores whether the channel is notified of files that others add: as chosen, else as before, and
 * never for the default folder. Returns the stored value.
 */
const storeAnnounces: Handler<boolean | undefined, boolean> = async (asked, chosen, context) => {
  const { ledger, findDestination, clock, wake } = context;
  const isDefault = (await findDestination(asked))?.isDefault ?? true;
  const on = !isDefault && (chosen ?? (await ledger.isWatched(asked)));
  if (await ledger.setWatched(asked, { on, now: clock.now() })) wake();
  return on;
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
  return code === 'not-in-channel' ? view : views.notAnnounced({ view, code, question: null });
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
    ...{ folder: link, isDirect: isDirect(asked) },
    byUserId: asked.userId,
    fallback: fallback && (await nameFolder(fallback, context)),
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
  const { ledger, workspace, findDestination, clock, logger, wake } = context;
  const { team, channel, userId: byUserId } = asked;
  const destination = await findDestination(asked);
  if (!destination) return views.noDestinationHint(readerOf(asked));
  const folder = await nameFolder(destination, context);
  if (destination.isDefault) return views.noAnnouncements({ ...readerOf(asked), folder });
  const changes =
    wanted !== null && (await ledger.setWatched(asked, { on: wanted, now: clock.now() }));
  const on = await ledger.isWatched(asked);
  if (changes) {
    wake();
    const ids = { team, channel, user: byUserId, on };
    logger.info(ids, 'Announcements of added files were switched');
  }
  if (on && !(await workspace.isIn(channel))) return views.announcementsUnseen({ folder });
  if (!changes) return views.announcementsStand({ ...readerOf(asked), folder, on });
  return announceInChannel(asked, views.announcementsSwitched({ folder, on, byUserId }), context);
};

/** Posts a completed change in its channel. A refusal by Slack is returned, not thrown. */
export async function announce(
  channel: string,
  view: View,
  { workspace, logger }: ListenerContext,
): Promise<'done' | 'not-in-channel' | SlackCallErrorCode> {
  const error = await failureOf(workspace.announce(channel, view));
  if (error === null) return 'done';
  if (/not_in_channel|channel_not_found/.test(error.reason)) return 'not-in-channel';
  logger.warn({ channel, error }, 'A channel could not be notified of a change');
  return error.code;
}
