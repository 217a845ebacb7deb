import type { LinkRefusal, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import type { StandingLink } from '../ledger/index.ts';
import { type SlackCallErrorCode, slackTs } from '../slack/index.ts';
import {
  type Destination,
  type FolderRef,
  sameDestination,
  verdictOn,
} from '../transfers/index.ts';
import { type Asked, type Handler, isDirect, readerOf, refusalOf } from './answer.ts';
import { offerEarlier, settleWaiting } from './earlier-files.ts';
import type { ListenerContext } from './listener-context.ts';
import { announce, announceInChannel, type PrivateView } from './post.ts';
import type { KnownFolder } from './resolve-folder.ts';
import { findTyped, tryFolder } from './resolve-folder.ts';
import { nameFolder } from './show-files.ts';

/** By how much Slack's clock and ours may differ. */
const SKEW_MS = 5_000;

/** Links a channel to the folder that somebody typed or chose, when they may and the folder is there. */
export const linkChannel: Handler<string> = async (asked, typed, context) => {
  const done = await tryLink(asked, { typed }, context);
  if (!('reason' in done)) return done.answer?.() ?? null;
  return views.linkRefused({ ...readerOf(asked), ...done });
};

/** What came of it: what the person is answered, null for nothing; or why the channel is not linked. */
type LinkOutcome = { answer: PrivateView | null } | { reason: LinkRefusal; typed: string };

/** What a channel is to be linked to. */
interface LinkWanted {
  typed: string;
  /** Whether it is to be told what others add there; absent: as it was. */
  announces?: boolean;
}

/** The same, for who says in words of their own that a channel is not linked. */
export async function tryLink(
  asked: Asked,
  { typed, announces }: LinkWanted,
  context: ListenerContext,
): Promise<LinkOutcome> {
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return { reason: verdict, typed };
  const resolved = await findTyped(asked, typed, context);
  if ('refusal' in resolved) return { reason: resolved.refusal, typed };
  return linkTo(asked, { ...resolved, announces }, context);
}

async function linkTo(
  asked: Asked,
  wanted: KnownFolder & { announces: boolean | undefined },
  context: ListenerContext,
): Promise<LinkOutcome> {
  const { destination, name: folderName, isKnown } = wanted;
  const folder = await nameFolder({ ...destination, folderName }, context);
  const linkSame = () => linkToSame(asked, { folder, announces: wanted.announces }, context);
  if (works(await context.ledger.findLink(asked), folder)) return linkSame();
  const reason = await tryFolder(asked, { ...destination, isKnown }, context);
  if (reason) return { reason, typed: `${folder.projectId}/${folder.folderId}` };
  const linkedAt = context.clock.now();
  const link = { ...folder, linkedBy: asked.userId, linkedAt };
  // First, so that no link is ever without the mark from which on its history counts.
  await markHistory(asked, linkedAt, context);
  const before = await context.ledger.setLink(asked, link);
  // Pressed twice: the channel is told of it once.
  if (works(before, folder)) return linkSame();
  context.logger.info(idsOf(asked, link), 'A channel was linked');
  const announces = await settleWatch(asked, wanted.announces, context);
  const wasFolder = before && !sameDestination(before, folder) ? before : null;
  const view = views.linked({ folder, byUserId: asked.userId, wasFolder, announces });
  const announced = await announce(asked.channel, view, context);
  context.wake();
  if (wasFolder) context.inBackground(settleWaiting(asked, wasFolder, context));
  if (announced === 'not-in-channel') return { answer: await linkedUnseen(asked, folder, context) };
  const untold: PrivateView | null =
    wanted.announces && !announces
      ? (elsewhere) => views.noAnnouncements({ folder, elsewhere })
      : null;
  const offer = await offerEarlier(asked, folder, context);
  return { answer: answerOf(announced, view, offer ?? untold) };
}

// Who linked the channel reads what it could not be told.
function answerOf(
  code: 'done' | SlackCallErrorCode,
  view: View,
  offer: PrivateView | null,
): PrivateView | null {
  if (code === 'done') return offer;
  return (elsewhere) =>
    views.notAnnounced({ view, code, question: offer?.(elsewhere) ?? null, elsewhere });
}

function works(link: StandingLink | null, folder: Destination): boolean {
  return link !== null && sameDestination(link, folder) && link.pausedFor === null;
}

// What can change is whether the channel is told what others add there.
async function linkToSame(
  asked: Asked,
  { folder, announces }: { folder: FolderRef; announces: boolean | undefined },
  context: ListenerContext,
): Promise<LinkOutcome> {
  const { ledger, workspace } = context;
  const was = await ledger.isWatched(asked);
  const on = await settleWatch(asked, announces, context);
  if (!isDirect(asked) && !(await workspace.isIn(asked.channel)))
    return { answer: await linkedUnseen(asked, folder, context) };
  const offer = await offerEarlier(asked, folder, context);
  if (on === was)
    return { answer: offer ?? ((elsewhere) => views.alreadyLinked({ folder, elsewhere })) };
  const view = views.announcementsSwitched({ folder, on, byUserId: asked.userId });
  const announced = await announce(asked.channel, view, context);
  if (announced === 'not-in-channel') return { answer: await linkedUnseen(asked, folder, context) };
  return { answer: answerOf(announced, view, offer) };
}

/** Whether the channel is told what others add to its folder: as was chosen, else as it was. */
async function settleWatch(
  asked: Asked,
  chosen: boolean | undefined,
  { ledger, findDestination, clock }: ListenerContext,
): Promise<boolean> {
  const isDefault = (await findDestination(asked))?.isDefault ?? true;
  const on = !isDefault && (chosen ?? (await ledger.isWatched(asked)));
  await ledger.setWatched(asked, { on, now: clock.now() });
  return on;
}

/** What the log says of a change of a link. */
function idsOf({ team, channel, userId: user }: Asked, { projectId, folderId }: Destination) {
  return { team, channel, projectId, folderId, user };
}

// A channel can be joined later; into a direct message between others nobody is brought.
async function linkedUnseen(
  asked: Asked,
  folder: FolderRef,
  { ledger, logger }: ListenerContext,
): Promise<PrivateView> {
  if (!isDirect(asked)) return (elsewhere) => views.notInChannel({ folder, elsewhere });
  await ledger.removeLink(asked);
  logger.info(idsOf(asked, folder), 'A channel was unlinked');
  return views.notInConversation;
}

// What a channel that had a folder already has missed is still to be read.
async function markHistory(
  asked: Asked,
  linkedAt: number,
  { ledger, findDestination }: ListenerContext,
): Promise<void> {
  const from = slackTs(linkedAt - SKEW_MS);
  if (!(await findDestination(asked))) return ledger.confirmUpTo(asked, from);
  await ledger.confirmFirst(asked, (await ledger.catchUpSince(asked)) ?? from);
}

/** Removes a channel's link; what is in the folder stays there. */
export async function unlinkChannel(asked: Asked, context: ListenerContext): Promise<View | null> {
  const refusal = refusalOf(asked, 'unlink');
  if (refusal) return refusal;
  const link = await context.ledger.removeLink(asked);
  if (!link) return views.notLinked();
  context.logger.info(idsOf(asked, link), 'A channel was unlinked');
  const fallback = await context.findDestination(asked);
  const view = views.unlinked({
    folder: link,
    byUserId: asked.userId,
    fallback: fallback && (await nameFolder(fallback, context)),
  });
  const answer = await announceInChannel(asked.channel, view, context);
  context.inBackground(settleWaiting(asked, link, context));
  return answer;
}

/**
 * Has a channel told what others add to its folder, or no more, as somebody who may link it wishes; null
 * for the wish to know how it stands.
 */
export const announceAdded: Handler<boolean | null> = async (asked, wish, context) => {
  const refusal = wish === null ? null : refusalOf(asked, 'announce');
  if (refusal) return refusal;
  const { ledger, workspace, findDestination, clock, logger } = context;
  const { team, channel, userId: byUserId } = asked;
  const destination = await findDestination(asked);
  if (!destination) return views.noDestinationHint(readerOf(asked));
  const folder = await nameFolder(destination, context);
  if (destination.isDefault) return views.noAnnouncements({ folder });
  const changes = wish !== null && (await ledger.setWatched(asked, { on: wish, now: clock.now() }));
  const on = await ledger.isWatched(asked);
  if (changes)
    logger.info(
      { team, channel, user: byUserId, on },
      'Announcements of added files were switched',
    );
  if (on && !(await workspace.isIn(channel))) return views.announcementsUnseen({ folder });
  if (!changes) return views.announcementsStand({ ...readerOf(asked), folder, on });
  return announceInChannel(channel, views.announcementsSwitched({ folder, on, byUserId }), context);
};
