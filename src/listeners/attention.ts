import type {
  AppHomeInput,
  AttentionClaim,
  AttentionPlace,
  TroubledChannel,
  View,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { MAX_IN_HAND, type StandingLink, type Trouble } from '../ledger/index.ts';
import { may } from '../transfers/index.ts';
import { type AnswerOptions, type Asked, type Handler, isDirect, refusalOf } from './answer.ts';
import { tryAgain } from './earlier-files.ts';
import { openLinkModal } from './link-modal.ts';
import type { ListenerContext } from './listener-context.ts';
import { type Sight, seesChannel, sightOf } from './sight.ts';

/** The first pages, as a command or a Home that is opened shows them. */
export const FIRST: AttentionPlace = { page: 1, linksPage: 1 };

interface Attention {
  asked: Asked;
  place: AttentionPlace;
  /** What has just happened, above the rest. */
  notice: View | null;
}

/**
 * What needs attention in the channels that somebody sees, by channel: in their App Home with all else
 * that stands there, elsewhere alone. It is made from the ledger, whatever the service does.
 */
export async function showAttention(
  { asked, place, notice }: Attention,
  context: ListenerContext,
): Promise<View> {
  const { ledger, operator, clock, findDestination } = context;
  const { team } = asked;
  const sight = await sightOf(asked, context);
  const [troubles, inHand, links, fallback] = await Promise.all([
    ledger.listTroubles(team, sight.channels),
    ledger.countInHand(team),
    ledger.listLinks(team),
    findDestination({ team, channel: '' }),
  ]);
  const common = {
    channels: troubledChannels(
      // Whoever links a channel is asked about what was shared before.
      troubles.filter(({ channel, kind }) => !(kind === 'parked' && links.has(channel))),
      { asked, sight, links },
    ),
    inHand: inHandOf(inHand, sight),
    linkBy: asked.linkBy,
    ...{ place, notice, operator, now: clock.now() },
  };
  if (asked.channel !== APP_HOME) return views.status(common);
  return views.appHome({
    ...common,
    links: linkedChannels(links, sight),
    hasDefault: fallback !== null,
    mayLink: may(asked, 'link-channel'),
    mayBrowse: may(asked, 'browse-folders'),
  });
}

/** Stands for the channel of what is asked in the App Home, which is in none. */
export const APP_HOME = '';

/** Answers in somebody's App Home, in the place of what stood there. */
export function inHomeOf(userId: string, { workspace }: ListenerContext): AnswerOptions['respond'] {
  return (view) => workspace.publishHome(userId, views.inAppHome(view).blocks);
}

interface Known {
  asked: Asked;
  sight: Sight;
  links: ReadonlyMap<string, StandingLink>;
}

// The channel that it is asked in first, then those with most files.
function troubledChannels(
  troubles: readonly Trouble[],
  { asked, sight, links }: Known,
): TroubledChannel[] {
  const count = ({ channel, files }: TroubledChannel) =>
    channel === asked.channel
      ? Number.POSITIVE_INFINITY
      : files.reduce((sum, one) => sum + one.count, 0);
  const found: Map<string, readonly Trouble[]> = Map.groupBy(troubles, ({ channel }) => channel);
  // Also one whose files were all left in Slack: what is shared next would wait.
  for (const [channel, { pausedFor }] of links)
    if (pausedFor && sight.sees(channel) && !found.has(channel)) found.set(channel, []);
  return [...found]
    .map(([channel, files]) => ({
      channel,
      isDirect: isDirect({ channel }),
      pausedFor: links.get(channel)?.pausedFor ?? null,
      files: files.map((one) => ({ ...one, name: sight.isIn(channel) ? one.name : null })),
      mayRetry: may(asked, 'retry-share'),
      mayRelink: may(asked, 'link-channel'),
      maySkip: may(asked, 'file-earlier'),
    }))
    .sort((a, b) => Math.sign(count(b) - count(a)) || (a.channel < b.channel ? -1 : 1));
}

function inHandOf(inHand: ReadonlyMap<string, number>, { sees }: Sight): AppHomeInput['inHand'] {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const count = sum([...inHand].flatMap(([channel, files]) => (sees(channel) ? [files] : [])));
  return { count, isMore: sum([...inHand.values()]) >= MAX_IN_HAND };
}

function linkedChannels(
  links: ReadonlyMap<string, StandingLink>,
  { sees }: Sight,
): AppHomeInput['links'] {
  return [...links]
    .filter(([channel]) => sees(channel))
    .map(([channel, folder]) => ({ channel, folder, pausedFor: folder.pausedFor }));
}

/**
 * Retry and Try now: members may ask for another try of any files of the channel. The line in the
 * thread shows what comes of it; where there is nothing to try, the answer says so.
 */
export const retryShare: Handler<{ shareId: number }> = async (asked, { shareId }, context) => {
  const { team, channel } = asked;
  const share = await context.ledger.findShareById(shareId);
  if (!share || share.team !== team) return null;
  if (channel !== share.channel && channel !== share.replyChannel) return null;
  const refusal = refusalOf(asked, 'retry', share.userId);
  if (refusal) return refusal;
  const to = await context.findDestination(share);
  const count = await tryAgain([share], to, context);
  return count > 0 ? null : views.nothingToRetry();
};

// Does something about a channel that somebody sees, and shows what came of it and what is left.
function acting(act: Handler<string, View>): Handler<AttentionClaim> {
  return async (asked, { channel, ...place }, context) => {
    if (!channel || !(await seesChannel(asked, channel, context))) return views.buttonOutOfDate();
    const notice = await act(asked, channel, context);
    // What was done is done, whether or not what is left can be shown.
    return showAttention({ asked, place, notice }, context).catch((error: unknown) => {
      context.logger.warn({ error }, 'What needs attention could not be shown after a change');
      return notice;
    });
  };
}

/** Retry all: for those who may try again whatever is shared in a channel. */
export const retryAll = acting(async (asked, channel, context) => {
  const refusal = refusalOf(asked, 'retry');
  if (refusal) return refusal;
  const ref = { team: asked.team, channel };
  const to = await context.findDestination(ref);
  const shares = await context.ledger.troubledShares(ref);
  return views.retriedAll({ count: await tryAgain(shares, to, context) });
});

/**
 * Other folder, Link this channel: opens the form that links a channel that somebody sees, from wherever
 * they are.
 */
export const relink: Handler<Pick<AttentionClaim, 'channel'>> = async (
  asked,
  { channel },
  context,
) => {
  if (!channel || !(await seesChannel(asked, channel, context))) return views.buttonOutOfDate();
  const elsewhere = channel === asked.channel ? null : channel;
  return openLinkModal({ ...asked, channel }, context, elsewhere);
};

/** Skip: the files stay in Slack, as far as they are surely not in the folder. */
export const skipAll = acting(async (asked, channel, { ledger, clock, wake }) => {
  const refusal = refusalOf(asked, 'skip');
  if (refusal) return refusal;
  const count = await ledger.parkTroubled({ team: asked.team, channel }, clock.now());
  wake();
  return views.skippedAll({ count });
});
