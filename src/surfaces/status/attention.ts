import { may, sameDestination } from '../../core/index.ts';
import { type HoldableLink, MAX_IN_HAND, type Trouble } from '../../ledger/index.ts';
import { type AppHomeInput, appHome, MOST_RECENT } from '../home/app-home.ts';
import { type Asked, type Handler, refusalOf } from '../kit/answer.ts';
import { NOWHERE } from '../kit/app-home.ts';
import { stacked, type View } from '../kit/layout.ts';
import { inChannel, type Sight, sightOf } from '../kit/sight.ts';
import { tryAgain } from '../link/earlier-files.ts';
import { openSettings } from '../settings/settings-modal.ts';
import type { AttentionClaim, AttentionPages, SkipClaim } from './actions.ts';
import {
  MORE_TO_LEAVE,
  retriedAll,
  skippedAll,
  status,
  type TroubledChannel,
} from './attention-view.ts';

/** The first pages, shown for a command and when the App Home opens. */
export const FIRST_PAGES: AttentionPages = { page: 1, linksPage: 1 };

/**
 * Shows what needs attention in the channels that a person may know about; in the App Home together
 * with its other parts. Reads only the ledger, so it works while the service is down.
 */
export const showAttention: Handler<AttentionPages, View> = async (asked, pages, context) => {
  const { ledger, names, operator, clock, findDestination } = context;
  const { team, channel: here } = asked;
  const isHome = here === NOWHERE;
  const sight = await sightOf(asked, context);
  const [troubles, inHand, links, fallback, recent] = await Promise.all([
    ledger.listTroubles(asked, sight.channels),
    ledger.countInHand(team),
    ledger.listLinks(team),
    // The App Home has no link, so this is the default folder.
    findDestination({ team, channel: NOWHERE }),
    isHome ? ledger.recentFiles(asked, MOST_RECENT) : [],
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
    recent: await Promise.all(
      recent.map(async ({ destination, ...file }) => ({
        ...file,
        folder:
          [...links.values()].find((one) => sameDestination(one, destination)) ??
          (await names.nameFolder(destination)),
      })),
    ),
    hasLinks: links.size > 0,
    links: [...links]
      .filter(([channel]) => sight.sees(channel))
      .map(([channel, folder]) => ({ channel, folder })),
    hasDefault: fallback !== null,
    mayBrowse: may(asked, 'browse-folders'),
    commands: context.helpLines,
  };
  return isHome ? appHome(shown) : status(shown);
};

interface Known {
  asked: Asked;
  sight: Sight;
  links: ReadonlyMap<string, HoldableLink>;
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
  for (const [channel, { heldFor }] of links)
    if (heldFor && sight.sees(channel) && !found.has(channel)) found.set(channel, []);
  return [...found]
    .map(([channel, files]) => ({
      channel,
      heldFor: links.get(channel)?.heldFor ?? null,
      files: files.map((one) => ({
        ...one,
        name: sight.isIn(channel) ? one.name : null,
        leavable: leavable(one, asked),
      })),
    }))
    .sort((a, b) => Math.sign(rank(b) - rank(a)) || (a.channel < b.channel ? -1 : 1));
}

// Of what may be in its folder, a look will tell more, unless that is unclear.
function leavable({ kind, problem, mayBeThere, ...of }: Trouble, asked: Asked): number {
  if (kind === 'waiting' && mayBeThere && problem !== 'RECORD_UNCLEAR') return 0;
  const { count, own } = of;
  if (may(asked, 'leave-in-slack')) return count;
  return may(asked, 'leave-in-slack', asked.userId) ? own : 0;
}

function inHandOf(inHand: ReadonlyMap<string, number>, { sees }: Sight): AppHomeInput['inHand'] {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const count = sum([...inHand].flatMap(([channel, files]) => (sees(channel) ? [files] : [])));
  return { count, isMore: sum([...inHand.values()]) >= MAX_IN_HAND };
}

/** Runs `act` in the channel that the button names, and shows what it returns above what is left. */
function actAndShowRest<Claim extends AttentionClaim>(act: Handler<Claim, View>): Handler<Claim> {
  return async (asked, claim, context) => {
    const there = await inChannel(asked, claim, context);
    if ('refusal' in there) return there.refusal;
    const notice = await act(there, claim, context);
    // The action has succeeded, even if what is left cannot be shown.
    const rest = await showAttention(asked, claim, context).catch((error: unknown) => {
      context.logger.warn({ error }, 'What needs attention could not be shown after a change');
      return null;
    });
    return stacked(notice, rest);
  };
}

/** Handles Try again, for people who may retry the shares of everybody in the channel. */
export const retryAll = actAndShowRest(async (asked, _: AttentionClaim, context) => {
  const refusal = refusalOf(asked, 'retry');
  if (refusal) return refusal;
  const to = await context.findDestination(asked);
  const shares = await context.ledger.troubledShares(asked);
  return retriedAll({ count: await tryAgain(shares, { to, unseenToo: true }, context) });
});

/**
 * Handles Choose another folder, and the button to link a channel: opens the link form for any channel that
 * the person may know about.
 */
export const relink: Handler<Pick<AttentionClaim, 'channel'>> = async (asked, claim, context) => {
  const there = await inChannel(asked, claim, context);
  return 'refusal' in there ? there.refusal : openSettings(there, context);
};

/** Handles Leave in Slack, of all that is listed, or of what is the person's own. */
export const skipAll = actAndShowRest(async (asked, { shown }: SkipClaim, context) => {
  const { ledger, clock, wake } = context;
  const userId = may(asked, 'leave-in-slack') ? null : asked.userId;
  const refusal = refusalOf(asked, 'skip', userId);
  if (refusal) return refusal;
  // What a channel's link left parked is not listed.
  const parkedToo = (await ledger.findLink(asked)) === null;
  const troubles = await ledger.listTroubles(asked, [asked.channel]);
  const listed = troubles.filter(({ kind }) => parkedToo || kind !== 'parked');
  const leavableNow = listed.reduce((sum, one) => sum + leavable(one, asked), 0);
  if (leavableNow > shown) return MORE_TO_LEAVE;
  const count = await ledger.leaveTroubled(asked, { userId, parkedToo, now: clock.now() });
  wake();
  return skippedAll({ count });
});
