import type { types } from '@slack/bolt';
import type { ErrorCode } from '../../base/index.ts';
import { type FolderReason, folderReason, UNEXPLAINED } from '../../core/index.ts';
import { firstReasons, groupBy, least, namedFiles, spokenFor } from '../kit/file-lines.ts';
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
} from '../kit/layout.ts';
import {
  ASK_FOR_FOLDER,
  type Line,
  line,
  ONE_WHO_LINKS,
  type Operator,
  placeWord,
  prose,
  type Reader,
  say,
  whoFiles,
} from '../kit/prose.ts';
import {
  asSentence,
  canRetry,
  onceMended,
  TRY_AGAIN,
  tryingAgain,
  whyAndNext,
  whyOf,
  whyWaiting,
} from '../kit/reasons.ts';
import { agreeing, counted, isChannelId, joined } from '../kit/text.ts';
import {
  ATTENTION_PAGES,
  ATTENTION_RELINK,
  ATTENTION_RETRY,
  ATTENTION_SKIP,
  type AttentionPages,
} from './actions.ts';

/** A channel's files in the same state. */
interface TroubledFiles {
  /** `waiting`: tried again automatically; `parked`: not filed because there was no folder. */
  kind: 'refused' | 'waiting' | 'parked';
  problem: ErrorCode | null;
  count: number;
  /** The name of one of them; null when the reader may not know it. */
  name: string | null;
  /** When the first waiting one is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Whether somebody saved them by hand. Default: false; they go to the channel's folder. */
  isSaved?: boolean;
  /** How many of them the reader may leave in Slack. Default: none. */
  leavable?: number;
  /** Whether they may be in their folder. Default: they certainly are not. */
  mayBeThere?: boolean;
}

/** A channel with files that need attention, or with a paused link. */
export interface TroubledChannel {
  /** Slack's identifier. */
  channel: string;
  files: readonly TroubledFiles[];
  /** Why its link is paused, so that its files wait. Default: null, not paused. */
  heldFor?: FolderReason | null;
}

export interface StatusInput extends Omit<Reader, 'isDirect'> {
  channels: readonly TroubledChannel[];
  /** Whether channels without a link of their own are filed too, in the default folder. */
  hasDefault: boolean;
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

/** The private response to Try again when the files are in progress or done. */
export const NOTHING_TO_RETRY = say([
  'There’s nothing to try again: everything is being filed, or done.',
]);

/** The notice above a refreshed list of what needs attention: the files are tried again. */
export function retriedAll({ count }: { count: number }): View {
  return count === 0 ? NOTHING_TO_RETRY : say([`Trying ${counted(count, 'file')} again.`]);
}

/** The same: the files are left in Slack. */
export function skippedAll({ count }: { count: number }): View {
  if (count === 0)
    return say(['Everything is being sent right now, or may already be in the folder.']);
  return say([`Left ${counted(count, 'file')} in Slack.`]);
}

/** The same: none is left, as the person was asked about fewer files. */
export const MORE_TO_LEAVE = say(['There are more by now, so I left none. Check the list.']);

// Says how many other files are in progress.
function inHandLine({ inHand: { count, isMore } }: StatusInput): Block[] {
  if (count === 0) return [];
  const many = `${counted(count, 'file')}${isMore ? ' or more' : ''}`;
  const { are, their } = agreeing(count);
  return [smallPrint(`${many} ${are} on ${their} way.`)];
}

/** Channels per page: two blocks each, and Slack allows 50 in a message. */
const PER_PAGE = 15;

/** A page of what needs attention, each channel with its buttons, and what is in progress. */
export function attentionBlocks(input: StatusInput): Block[] {
  const { channels, inHand } = input;
  if (channels.length > 0)
    return [heading('Stuck files'), ...pageOfChannels(input), ...inHandLine(input)];
  return inHand.count === 0 ? [prose(['All filed. ✅'])] : inHandLine(input);
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
    ...{ noun: 'stuck file', actions: ATTENTION_PAGES },
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

const OTHER_FOLDER = 'Choose another folder';
const FIRST_FOLDER = 'Choose a folder';
const LEAVE = 'Leave in Slack';

function channelBlocks(channel: TroubledChannel, input: StatusInput): Block[] {
  const alike = ({ kind, problem, isSaved = false }: TroubledFiles) =>
    `${kind} ${problem} ${isSaved}`;
  const lines = groupBy(channel.files, alike).map((group) =>
    filesLine(together(group), channel, input),
  );
  return [
    prose(
      nameOf(channel.channel),
      channel.heldFor ? pausedLine(channel.heldFor) : null,
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
export function pausedLine(reason: FolderReason): Line {
  return line`Files are waiting: ${whyOf(reason)}.`;
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
    return line`${many} not filed${named} – ${noFolder(files, channel, input)}`;
  if (kind === 'waiting' && channel.heldFor && problem !== null && folderReason(problem))
    return line`${many} waiting${named}.`;
  if (kind === 'waiting') {
    const then = problem && onceMended(problem, { operator, count });
    return line`${many} waiting${named}. ${asSentence(whyWaiting(problem, null, isSaved))} ${then ?? tryingAgain(nextTryAt, now)}`;
  }
  const retry = mayRetry ? TRY_AGAIN : null;
  const relink = mayLink ? `press ${OTHER_FOLDER}` : ASK_FOR_FOLDER[input.linkBy];
  const given = { operator, retry, isSaved, relink, count };
  return line`${many} couldn’t be filed${named} – ${whyAndNext({ problem }, given)}`;
}

function noFolder(
  { count }: TroubledFiles,
  { channel }: TroubledChannel,
  input: StatusInput,
): Line {
  const { linkBy, mayLink, hasDefault } = input;
  const isDirect = !isChannelId(channel);
  const { them } = agreeing(count);
  const place = `the ${placeWord({ isDirect })}`;
  if (hasDefault)
    return [`shared before ${place} had a folder. ${whoFiles(count, { ...input, isDirect })}`];
  const why = `${place} has no folder.`;
  if (mayLink) return [why];
  if (isDirect) return [`${why} Share ${them} in a channel with a folder.`];
  return line`${why} ${ONE_WHO_LINKS[linkBy]} choose one with ${{ command: '/files link' }}.`;
}

function channelButtons(
  { channel, files, heldFor = null }: TroubledChannel,
  { pages, mayRetry, mayLink }: StatusInput,
): (types.Button | null)[] {
  const claim = { ...pages, channel };
  const tried = files.filter(({ kind }) => kind !== 'parked');
  const helps = tried.some(
    ({ kind, problem }) => kind === 'waiting' || !problem || canRetry(problem),
  );
  const isParked = tried.length < files.length;
  const isOfFolder = tried.some(needsFolder) || heldFor !== null;
  const folder = isOfFolder ? OTHER_FOLDER : FIRST_FOLDER;
  const left = files.flatMap(toLeave);
  return [
    mayRetry && helps
      ? button({
          action: ATTENTION_RETRY,
          label: TRY_AGAIN,
          spoken: about(TRY_AGAIN, tried),
          claim,
        })
      : null,
    mayLink && (isOfFolder || isParked)
      ? button({ action: ATTENTION_RELINK, label: folder, spoken: about(folder, files), claim })
      : null,
    left.length > 0
      ? button({
          action: ATTENTION_SKIP,
          label: LEAVE,
          spoken: about(LEAVE, left),
          claim: { ...claim, shown: filesOf(left) },
          confirm: leaveDialog(left, mayLink),
        })
      : null,
  ];
}

// Some accounts do not say that it is the folder.
function needsFolder({ problem, isSaved = false }: TroubledFiles): boolean {
  if (problem === null || isSaved) return false;
  const ofFolder = [...UNEXPLAINED, 'SERVICE_NOT_FOUND'];
  return folderReason(problem) !== null || ofFolder.includes(problem);
}

// If it is only some of them, it is not known whether the named one is.
function toLeave(files: TroubledFiles): TroubledFiles[] {
  const { count, name, leavable = 0 } = files;
  if (leavable === 0) return [];
  return [{ ...files, count: leavable, name: leavable < count ? null : name }];
}

// The names of a channel are known to those who are in it.
function about(label: string, files: readonly TroubledFiles[]): string {
  const named = files.flatMap(({ name }) => (name === null ? [] : [{ name }]));
  return spokenFor(label, named, filesOf(files));
}

function leaveDialog(files: readonly TroubledFiles[], mayLink: boolean) {
  const many = counted(filesOf(files), 'file');
  const isTrying = files.some(({ kind }) => kind === 'waiting');
  const answers = { confirm: LEAVE, deny: isTrying ? 'Keep trying' : 'Cancel' };
  const title = isTrying ? `Stop trying ${many}?` : `Leave ${many} in Slack?`;
  const text = joined([howToFileLater(files, mayLink), mayBeThere(files)], ' ');
  return { title, text, ...answers };
}

function mayBeThere(files: readonly TroubledFiles[]): string | null {
  const unclear = files.filter((one) => one.mayBeThere);
  if (unclear.length === 0) return null;
  const some = unclear.length < files.length ? 'some' : agreeing(filesOf(files)).they;
  return asSentence(`${some} may be in the folder already`);
}

// `/files link` offers to file only the files of the channel's link, not those saved by hand. A file
// that was shared where there was no folder has no line.
function howToFileLater(left: readonly TroubledFiles[], mayLink: boolean): string | null {
  if (left.every((one) => one.mayBeThere)) return null;
  const count = filesOf(left);
  const { they, them } = agreeing(count);
  const stay = `${they === 'it' ? 'It stays' : 'They stay'} in Slack`;
  if (left.every(({ isSaved }) => isSaved))
    return `${stay}. To file ${them} after all, save ${them} again.`;
  if (!mayLink) return `${stay}.`;
  return count === 1 && left.every(({ kind }) => kind !== 'parked')
    ? `${stay}. To file it after all, press File it under its line.`
    : `${stay}; you can file ${them} later with /files link there.`;
}
