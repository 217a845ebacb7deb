import type {
  AppHomeInput,
  AttentionClaim,
  AttentionPages,
  TroubledChannel,
  View,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { MAX_IN_HAND, type PausableLink, type Trouble } from '../ledger/index.ts';
import { may } from '../transfers/index.ts';
import { type AnswerOptions, type Asked, type Handler, refusalOf } from './answer.ts';
import { tryAgain } from './earlier-files.ts';
import { openLinkModal } from './link-modal.ts';
import type { ListenerContext } from './listener-context.ts';
import { inChannel, type Sight, sightOf } from './sight.ts';

/** The first pages, shown for a command and when the App Home opens. */
export const FIRST_PAGES: AttentionPages = { page: 1, linksPage: 1 };

/**
 * Shows what needs attention in the channels that a person may know about; in the App Home together
 * with its other parts. Reads only the ledger, so it works while the service is down.
 */
export const showAttention: Handler<AttentionPages, View> = async (asked, pages, context) => {
  const { ledger, operator, clock, findDestination } = context;
  const { team } = asked;
  const sight = await sightOf(asked, context);
  const [troubles, inHand, links, fallback] = await Promise.all([
    ledger.listTroubles(team, sight.channels),
    ledger.countInHand(team),
    ledger.listLinks(team),
    // The App Home has no link, so this is the default folder.
    findDestination({ team, channel: APP_HOME }),
  ]);
  const shown = {
    channels: troubledChannels(
      // Whoever links a channel is asked about its parked files, so they are left out here.
      troubles.filter(({ channel, kind }) => !(kind === 'parked' && links.has(channel))),
      { asked, sight, links },
    ),
    inHand: inHandOf(inHand, sight),
    linkBy: asked.linkBy,
    mayRetry: may(asked, 'retry-share'),
    mayLink: may(asked, 'link-channel'),
    ...{ pages, operator, now: clock.now() },
    links: [...links]
      .filter(([channel]) => sight.sees(channel))
      .map(([channel, folder]) => ({ channel, folder })),
    hasDefault: fallback !== null,
    mayBrowse: may(asked, 'browse-folders'),
  };
  return asked.channel === APP_HOME ? views.appHome(shown) : views.status(shown);
};

/** The channel of requests from the App Home, which belongs to no channel. */
export const APP_HOME = '';

/** Returns a `respond` that replaces the contents of a person's App Home. */
export function inHomeOf(userId: string, { workspace }: ListenerContext): AnswerOptions['respond'] {
  return (view) => workspace.publishHome(userId, views.inAppHome(view).blocks);
}

interface Known {
  asked: Asked;
  sight: Sight;
  links: ReadonlyMap<string, PausableLink>;
}

// The channel of the request comes first, then those with most files.
function troubledChannels(
  troubles: readonly Trouble[],
  { asked, sight, links }: Known,
): TroubledChannel[] {
  const rank = ({ channel, files }: TroubledChannel) =>
    channel === asked.channel
      ? Number.POSITIVE_INFINITY
      : files.reduce((sum, one) => sum + one.count, 0);
  const found: Map<string, readonly Trouble[]> = Map.groupBy(troubles, ({ channel }) => channel);
  // A paused channel is listed even without troubled files: the next share would wait.
  for (const [channel, { pausedFor }] of links)
    if (pausedFor && sight.sees(channel) && !found.has(channel)) found.set(channel, []);
  return [...found]
    .map(([channel, files]) => ({
      channel,
      pausedFor: links.get(channel)?.pausedFor ?? null,
      files: files.map((one) => ({ ...one, name: sight.isIn(channel) ? one.name : null })),
    }))
    .sort((a, b) => Math.sign(rank(b) - rank(a)) || (a.channel < b.channel ? -1 : 1));
}

function inHandOf(inHand: ReadonlyMap<string, number>, { sees }: Sight): AppHomeInput['inHand'] {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const count = sum([...inHand].flatMap(([channel, files]) => (sees(channel) ? [files] : [])));
  return { count, isMore: sum([...inHand.values()]) >= MAX_IN_HAND };
}

/**
 * Handles Retry and Try now, for any share of the channel. The line in the thread shows the
 * outcome, so the answer is null unless there is nothing to retry or the person may not.
 */
export const retryShare: Handler<{ shareId: number }> = async (asked, { shareId }, context) => {
  const { team, channel } = asked;
  const share = await context.ledger.findShareById(shareId);
  if (!share || share.team !== team) return null;
  if (channel !== share.channel && channel !== share.replyChannel) return null;
  const refusal = refusalOf(asked, 'retry', share.userId);
  if (refusal) return refusal;
  const to = await context.findDestination(share);
  const count = await tryAgain([share], { to, unseenToo: true }, context);
  return count > 0 ? null : views.NOTHING_TO_RETRY;
};

/** Runs `act` in the channel that the button names, and shows what it returns above what is left. */
function actAndShowRest(
  act: (there: Asked, context: ListenerContext) => Promise<View>,
): Handler<AttentionClaim> {
  return async (asked, { channel, ...pages }, context) => {
    const there = await inChannel(asked, { channel }, context);
    if ('refusal' in there) return there.refusal;
    const notice = await act(there, context);
    // The action has succeeded, even if what is left cannot be shown.
    const rest = await showAttention(asked, pages, context).catch((error: unknown) => {
      context.logger.warn({ error }, 'What needs attention could not be shown after a change');
      return null;
    });
    return views.stacked(notice, rest);
  };
}

/** Handles Retry all, for people who may retry the shares of everybody in the channel. */
export const retryAll = actAndShowRest(async (asked, context) => {
  const refusal = refusalOf(asked, 'retry');
  if (refusal) return refusal;
  const to = await context.findDestination(asked);
  const shares = await context.ledger.troubledShares(asked);
  return views.retriedAll({ count: await tryAgain(shares, { to, unseenToo: true }, context) });
});

/**
 * Handles Other folder, and the button to link a channel: opens the link form for any channel that
 * the person may know about.
 */
export const relink: Handler<Pick<AttentionClaim, 'channel'>> = async (asked, claim, context) => {
  const there = await inChannel(asked, claim, context);
  return 'refusal' in there ? there.refusal : openLinkModal(there, context);
};

/** Handles Skip: leaves the files in Slack, except those that may be in the folder. */
export const skipAll = actAndShowRest(async (asked, { ledger, clock, wake }) => {
  const refusal = refusalOf(asked, 'skip');
  if (refusal) return refusal;
  const count = await ledger.parkTroubled(asked, clock.now());
  wake();
  return views.skippedAll({ count });
});
