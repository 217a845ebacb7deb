import type { types } from '@slack/bolt';
import type { ErrorCode } from '../base/index.ts';
import { type PauseReason, pauseReason } from '../transfers/index.ts';
import { ACTIONS, type AttentionPages, PAGE_ACTIONS } from './actions.ts';
import { firstReasons, groupBy, least, namedFiles } from './file-lines.ts';
import {
  type Block,
  button,
  buttonRow,
  heading,
  pageOf,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from './layout.ts';
import {
  askToLink,
  type Line,
  line,
  ONE_WHO_LINKS,
  type Operator,
  placeWord,
  prose,
  type Reader,
  say,
} from './prose.ts';
import { asSentence, canRetry, tryingAgain, whyAndNext, whyOf, whyWaiting } from './reasons.ts';
import { agreeing, counted, isChannelId, joined } from './text.ts';

/** A channel's files in the same state. */
interface TroubledFiles {
  /** `waiting`: tried again automatically; `parked`: not filed because there is no folder. */
  kind: 'refused' | 'waiting' | 'parked';
  problem: ErrorCode | null;
  count: number;
  /** The name of one of them; null when the reader may not know it. */
  name: string | null;
  /** When the first waiting one is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Whether somebody saved them by hand. Default: false; they go to the channel's folder. */
  isSaved?: boolean;
}

/** A channel with files that need attention, or with a paused link. */
export interface TroubledChannel {
  /** Slack's identifier. */
  channel: string;
  files: readonly TroubledFiles[];
  /** Why its link is paused, so that its files wait. Default: null, not paused. */
  pausedFor?: PauseReason | null;
}

export interface StatusInput extends Omit<Reader, 'isDirect'> {
  channels: readonly TroubledChannel[];
  /** Whether the reader may have the files of others tried again. */
  mayRetry: boolean;
  pages: AttentionPages;
  operator: Operator;
  /** Epoch milliseconds. */
  now: number;
  /** Files in progress in the channels that the reader sees; `isMore`: `count` is a minimum. */
  inHand: { count: number; isMore: boolean };
}

/** The response to `/files status`: what waits or was refused and why, by channel. */
export function status(input: StatusInput): View {
  return viewOf(attentionBlocks(input));
}

/** The private response to Retry, Try now or Check now when the files are in progress or done. */
export const NOTHING_TO_RETRY = say([
  'There’s nothing to try again: these files are being filed right now, or done.',
]);

/** The notice above a refreshed list of what needs attention: the files are tried again. */
export function retriedAll({ count }: { count: number }): View {
  return count === 0 ? NOTHING_TO_RETRY : say([`Trying ${counted(count, 'file')} again.`]);
}

/** The same: the files are left in Slack. */
export function skippedAll({ count }: { count: number }): View {
  if (count === 0)
    return say([
      'Nothing was skipped: these files are being sent right now, or may already be in the folder.',
    ]);
  return say([`${counted(count, 'file')} ${agreeing(count).stay} in Slack only.`]);
}

// Says how many other files are in progress; empty when none are but some need attention.
function inHandLine({ channels, inHand }: StatusInput): Block[] {
  const { count, isMore } = inHand;
  if (count === 0) return channels.length === 0 ? [smallPrint('No files are on their way.')] : [];
  const many = `${counted(count, 'file')}${isMore ? ' or more' : ''}`;
  const { are, their } = agreeing(count);
  return [smallPrint(`${many} ${are} on ${their} way.`)];
}

/** Channels per page: two blocks each, and Slack allows 50 in a message. */
const PER_PAGE = 15;

/** A page of what needs attention, each channel with its buttons, and what is in progress. */
export function attentionBlocks(input: StatusInput): Block[] {
  const listed =
    input.channels.length === 0 ? [prose(['Nothing needs attention.'])] : pageOfChannels(input);
  return [heading('Needs attention'), ...listed, ...inHandLine(input)];
}

function pageOfChannels(input: StatusInput): Block[] {
  const { channels, pages } = input;
  const shown = pageOf(channels, PER_PAGE, pages.page);
  const count = filesOf(channels.flatMap(({ files }) => files));
  const summary = joined([
    count === 0 ? null : counted(count, 'file'),
    counted(channels.length, placesWord(channels)),
    shownPage(shown),
  ]);
  const buttons = {
    actions: PAGE_ACTIONS.attention,
    claimFor: (page: number) => ({ ...pages, channel: null, page }),
  };
  return [
    smallPrint(summary),
    ...shown.items.flatMap((channel) => channelBlocks(channel, input)),
    ...pager(shown, buttons),
  ];
}

function filesOf(files: readonly TroubledFiles[]): number {
  return files.reduce((sum, { count }) => sum + count, 0);
}

const RETRY_ALL = 'Retry all';
const OTHER_FOLDER = 'Other folder';

function channelBlocks(channel: TroubledChannel, input: StatusInput): Block[] {
  const alike = ({ kind, problem, isSaved = false }: TroubledFiles) =>
    `${kind} ${problem} ${isSaved}`;
  const lines = groupBy(channel.files, alike).map((group) =>
    filesLine(together(group), channel, input),
  );
  return [
    prose(
      nameOf(channel.channel),
      channel.pausedFor ? pausedLine(channel.pausedFor) : null,
      ...firstReasons(lines),
    ),
    ...buttonRow(channelButtons(channel, input)),
  ];
}

/** A conversation as a list names it: Slack shows direct messages to nobody else. */
export function nameOf(channel: string): Line {
  return [isChannelId(channel) ? { channel } : 'Direct messages'];
}

/** Returns the word for one of these conversations. */
export function placesWord(places: readonly { channel: string }[]): string {
  return placeWord({ isDirect: !places.every(({ channel }) => isChannelId(channel)) });
}

/** Says why a channel's link is paused, and that its files wait. */
export function pausedLine(reason: PauseReason): Line {
  return line`The link is paused: ${whyOf(reason)}. Files wait until that’s fixed, or another folder is chosen.`;
}

function together(group: readonly [TroubledFiles, ...TroubledFiles[]]): TroubledFiles {
  const nextTryAt = least(group.map((files) => files.nextTryAt));
  return { ...group[0], count: filesOf(group), nextTryAt };
}

function filesLine(files: TroubledFiles, channel: TroubledChannel, input: StatusInput): Line {
  const { operator, mayRetry, mayLink, now } = input;
  const { kind, problem, count, name, nextTryAt, isSaved = false } = files;
  const many = counted(count, 'file');
  const named = name === null ? '' : line`: ${namedFiles([{ name }], count)}`;
  if (kind === 'parked')
    return line`${many} not filed${named} – ${noFolder(!isChannelId(channel.channel), name !== null, input)}`;
  if (kind === 'waiting' && channel.pausedFor && problem !== null && pauseReason(problem))
    return line`${many} waiting for that${named}.`;
  if (kind === 'waiting')
    return line`${many} waiting${named}. ${asSentence(whyWaiting(problem, null, isSaved))} ${tryingAgain(nextTryAt, now)}`;
  const retry = mayRetry ? RETRY_ALL : null;
  const relink = mayLink
    ? `press ${OTHER_FOLDER}`
    : askToLink(input, `the ${placesWord([channel])}`);
  const given = { operator, retry, isSaved, relink };
  return line`${many} couldn’t be filed${named} – ${whyAndNext({ problem }, given)}`;
}

// An admin reads of the direct messages of others too, and can type no command there.
function noFolder(isDirect: boolean, isIn: boolean, { linkBy, mayLink }: StatusInput): Line {
  if (isDirect && !(mayLink && isIn))
    return line`this conversation has no folder. To have a file filed, share it in a linked channel.`;
  const why = isDirect ? 'this conversation has no folder' : 'the channel isn’t linked to a folder';
  const command = { command: '/files link' };
  if (mayLink) return line`${why}. Link it with ${command} there.`;
  return line`${why}. ${ONE_WHO_LINKS[linkBy]} link it with ${command}.`;
}

function channelButtons(
  { channel, files, pausedFor = null }: TroubledChannel,
  { pages, mayRetry, mayLink }: StatusInput,
): (types.Button | null)[] {
  const claim = { ...pages, channel };
  const tried = files.filter(({ kind }) => kind !== 'parked');
  const helps = tried.some(
    ({ kind, problem }) => kind === 'waiting' || !problem || canRetry(problem),
  );
  const many = counted(filesOf(tried), 'file');
  return [
    mayRetry && helps ? button({ action: ACTIONS.attentionRetry, label: RETRY_ALL, claim }) : null,
    mayLink && (tried.some(({ isSaved }) => !isSaved) || pausedFor !== null)
      ? button({ action: ACTIONS.attentionRelink, label: OTHER_FOLDER, claim })
      : null,
    mayLink && tried.length > 0
      ? button({
          action: ACTIONS.attentionSkip,
          label: 'Skip',
          claim,
          confirm: {
            title: `Leave ${many} in Slack?`,
            text: `${howToFileLater(tried)} I’ll still check whether any of them reached the folder.`,
            confirm: 'Leave in Slack',
            deny: 'Keep trying',
          },
        })
      : null,
  ];
}

// `/files link` offers to file only the files of the channel's link, not those saved by hand.
function howToFileLater(skipped: readonly TroubledFiles[]): string {
  const { them } = agreeing(filesOf(skipped));
  if (skipped.every(({ isSaved }) => isSaved))
    return `To file ${them} after all, share ${them} again and save that message.`;
  const except = skipped.some(({ isSaved }) => isSaved);
  return `/files link there offers to file ${them} later${except ? ', except for what was saved by hand' : ''}.`;
}
