import {
  type Destination,
  type FolderRef,
  folderNumber,
  isDirect,
  sameDestination,
  verdictOn,
} from '../../core/index.ts';
import { failureOf, type SlackCallErrorCode, slackTs } from '../../slack/index.ts';
import {
  announcementsStand,
  announcementsSwitched,
  noAnnouncements,
} from '../announce/added-files.ts';
import { type Asked, type Handler, type PrivateView, readerOf, refusalOf } from '../kit/answer.ts';
import type { ClaimOf } from '../kit/claims.ts';
import { stacked, type View } from '../kit/layout.ts';
import { buttonOutOfDate, DONE } from '../kit/refusals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import type { LINK_AGAIN } from './actions.ts';
import { offerEarlier, settleWaiting } from './earlier-files.ts';
import { keepBookmark } from './keep-bookmark.ts';
import {
  alreadyLinked,
  announcementsUnseen,
  confirmUnlink,
  linesSet,
  linked,
  NOT_IN_CONVERSATION,
  noDestinationHint,
  notAnnounced,
  notInChannel,
  notLinked,
  undoUnlink,
  unlinked,
} from './link-messages.ts';
import { linkRefused } from './link-refusals.ts';
import { findUsable, readFolderText, type Unusable } from './resolve-folder.ts';

/** The greatest expected difference between Slack's clock and ours, in milliseconds. */
export const SKEW_MS = 5_000;

/** Links a channel to the typed or chosen folder if the person may and it takes files. */
export const linkChannel: Handler<string> = async (asked, typed, context) => {
  const done = await tryLink(asked, { typed, ...AS_BEFORE }, context);
  if (!('reason' in done)) return done.answer?.() ?? null;
  return linkRefused({ ...readerOf(asked), ...done });
};

/** The answer to the person (null for none), or the reason why the channel was not linked. */
type LinkOutcome = { answer: PrivateView | null } | Unusable;

/** Settings of a channel; null: as before. */
interface Settings {
  /** Whether to notify the channel of files that others add. */
  announces: boolean | null;
  /** Whether each share also gets a line in its thread. */
  lines: boolean | null;
}

const AS_BEFORE: Settings = { announces: null, lines: null };

interface LinkWanted extends Settings {
  typed: string;
}

/** Does the same as linkChannel, but returns a refusal as a reason for the caller to word. */
export const tryLink: Handler<LinkWanted, LinkOutcome> = async (asked, wanted, context) => {
  const { typed, ...settings } = wanted;
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return { reason: verdict, typed };
  const linked = await linkedAlready(asked, wanted, context);
  const folder = linked ?? (await findUsable(asked, typed, context));
  if ('reason' in folder) return folder;
  return { answer: await linkTo(asked, { folder, ...settings }, context) };
};

// Returns the channel's own folder if only its other settings are chosen: those need no look into it.
const linkedAlready: Handler<LinkWanted, FolderRef | null> = async (asked, wanted, context) => {
  const { typed, announces, lines } = wanted;
  const link = announces === null && lines === null ? null : await context.ledger.findLink(asked);
  const read = readFolderText(typed, context.accountUrl);
  if (!link || link.heldFor || !read || !sameDestination(link, read)) return null;
  return context.names.nameFolder({ ...link, url: read.url ?? link.url ?? null });
};

interface FolderWanted extends Settings {
  folder: FolderRef;
}

// Returns the question about earlier files, else what the channel is not told of. If the change
// could not be posted in the channel, the answer repeats it above that.
const linkTo: Handler<FolderWanted, PrivateView | null> = async (asked, wanted, context) => {
  const { ledger, clock, logger, wake, inBackground } = context;
  const { folder } = wanted;
  // Compared with Slack's times.
  const linkedAt = clock.wall();
  // Marked before the link is set: every link needs the point from which its history is read.
  await markHistory(asked, linkedAt, context);
  const link = { ...folder, linkedBy: asked.userId, linkedAt };
  // After a double press only one of the links is new, and the channel is notified only once.
  const { isNew, wasFolder } = await ledger.setLink(asked, link);
  if (isNew) logger.info(idsOf(asked, folder), 'A channel was linked');
  try {
    const { lines } = wanted;
    const isRetold = lines !== null && (await ledger.setLines(asked, lines));
    const { on, changed } = await storeAnnounces(asked, wanted.announces, context);
    const about = { ...readerOf(asked), folder, byUserId: asked.userId };
    const switched = changed ? announcementsSwitched({ ...about, on }) : null;
    const view = isNew ? linked({ ...about, wasFolder, announces: on }) : switched;
    const code = await announce(asked.channel, view, context);
    if (code === 'not-in-channel') return await linkedUnseen(asked, folder, context);
    const isRefused = wanted.announces && !on;
    const stands = isRetold && !isNew ? linesSet : alreadyLinked;
    const say = isRefused ? noAnnouncements : stands;
    const isTold = isNew || (changed && !isRetold);
    const remark =
      isTold && !isRefused
        ? null
        : (to?: string) => say({ ...about, lines: lines ?? false, elsewhere: to });
    const answer = (await offerEarlier(asked, folder, context)) ?? remark;
    if (view === null || code === 'done') return answer;
    return (elsewhere) => stacked(view, notAnnounced({ elsewhere }), answer?.(elsewhere) ?? null);
  } finally {
    if (isNew) wake();
    if (isNew) inBackground(keepBookmark(asked, context));
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
  const was = (await ledger.findLink(asked))?.announces ?? false;
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
  if (!isDirect(asked)) return (elsewhere) => notInChannel({ folder, elsewhere });
  await context.ledger.removeLink(asked);
  context.logger.info(idsOf(asked, folder), 'A channel was unlinked');
  return () => NOT_IN_CONVERSATION;
};

// If the channel already had a folder, the catch-up still reads what it missed until now.
const markHistory: Handler<number, void> = async (asked, linkedAt, context) => {
  const { ledger, findDestination } = context;
  const from = slackTs(linkedAt - SKEW_MS);
  if (await findDestination(asked)) await ledger.confirmFirst(asked, from);
  else await ledger.confirmUpTo(asked, from);
};

/** Announces a change; returns the answer for the person, null if the channel got the message. */
const announceInChannel: Handler<View> = async ({ channel }, view, context) => {
  const code = await announce(channel, view, context);
  if (code === 'done') return null;
  return code === 'not-in-channel' ? view : stacked(view, notAnnounced({}));
};

/** Asks whether to remove a channel's link, if the person may. */
export async function askUnlink(asked: Asked, context: SurfaceContext): Promise<View> {
  const refusal = refusalOf(asked, 'unlink');
  if (refusal) return refusal;
  const link = await context.ledger.findLink(asked);
  if (!link) return notLinked(readerOf(asked));
  const [folder, fallback] = await Promise.all([
    context.names.nameFolder(link),
    defaultFolder(asked, context),
  ]);
  return confirmUnlink({ ...readerOf(asked), folder, fallback });
}

// No link is under this identifier.
async function defaultFolder({ team }: Asked, { findDestination, names }: SurfaceContext) {
  const found = await findDestination({ team, channel: '' });
  return found && names.nameFolder(found);
}

/**
 * Removes a channel's link, if it is still to the folder that the person was asked about. The files in
 * the folder stay there. Offers to undo it.
 */
export const unlinkChannel: Handler<Destination> = async (asked, wanted, context) => {
  const refusal = refusalOf(asked, 'unlink');
  if (refusal) return refusal;
  const { ledger, logger, names, inBackground } = context;
  const before = await ledger.findLink(asked);
  if (before && !sameDestination(before, wanted)) return askUnlink(asked, context);
  const link = await ledger.removeLink(asked);
  if (!link) return notLinked(readerOf(asked));
  logger.info(idsOf(asked, link), 'A channel was unlinked');
  const folder = await names.nameFolder(link);
  const fallback = await defaultFolder(asked, context);
  const about = { ...readerOf(asked), folder, byUserId: asked.userId, fallback };
  const answer = await announceInChannel(asked, unlinked(about), context);
  inBackground(settleWaiting(asked, link, context));
  inBackground(keepBookmark(asked, context));
  return stacked(answer, undoUnlink({ ...about, lines: link.lines, announces: link.announces }));
};

/** Links a channel again as it was before somebody unlinked it, if it has no folder since. */
export const linkAgain: Handler<ClaimOf<typeof LINK_AGAIN>> = async (asked, before, context) => {
  const { url, lines, announces, ...folder } = before;
  const link = await context.ledger.findLink(asked);
  if (link && !sameDestination(link, folder))
    return buttonOutOfDate({ command: '/files settings' });
  const typed = url || folderNumber(folder);
  const done = await tryLink(asked, { typed, lines, announces }, context);
  if ('reason' in done) return linkRefused({ ...readerOf(asked), ...done });
  return done.answer?.() ?? DONE;
};

/**
 * Switches on or off whether a channel is notified of files that others add to its folder, if the
 * person may link it. If `wanted` is null, only shows the current setting.
 */
export const announceAdded: Handler<boolean | null> = async (asked, wanted, context) => {
  const refusal = wanted === null ? null : refusalOf(asked, 'announce');
  if (refusal) return refusal;
  const { channel, userId: byUserId } = asked;
  const destination = await context.findDestination(asked);
  if (!destination) return noDestinationHint(readerOf(asked));
  const folder = await context.names.nameFolder(destination);
  if (destination.isDefault) return noAnnouncements({ ...readerOf(asked), folder });
  const { on, changed } = await storeAnnounces(asked, wanted, context);
  if (on && !(await context.workspace.isIn(channel))) return announcementsUnseen({ folder });
  if (!changed) return announcementsStand({ ...readerOf(asked), folder, on });
  return announceInChannel(asked, announcementsSwitched({ folder, on, byUserId }), context);
};

/**
 * Posts a completed change in its channel; with null, only checks that the bot is in it. A refusal
 * by Slack is returned, not thrown.
 */
export async function announce(
  channel: string,
  view: View | null,
  { workspace, logger }: SurfaceContext,
): Promise<'done' | 'not-in-channel' | SlackCallErrorCode> {
  if (view === null) return (await workspace.isIn(channel)) ? 'done' : 'not-in-channel';
  const error = await failureOf(workspace.announce(channel, view));
  if (error === null) return 'done';
  if (/not_in_channel|channel_not_found/.test(error.reason)) return 'not-in-channel';
  logger.warn({ channel, error }, 'A channel could not be notified of a change');
  return error.code;
}
