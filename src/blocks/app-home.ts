import type { FolderRef, PauseReason } from '../transfers/index.ts';
import { ACTIONS, PAGE_ACTIONS } from './actions.ts';
import { attentionBlocks, nameOf, placesWord, type StatusInput } from './attention.ts';
import { commandLines } from './help.ts';
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
import { type Line, line, prose } from './prose.ts';
import { whyOf } from './reasons.ts';
import { counted, joined } from './text.ts';

interface LinkedChannel {
  /** Slack's identifier. */
  channel: string;
  /** `pausedFor`: why the link is paused, so that its files wait. Default: null, not paused. */
  folder: FolderRef & { pausedFor?: PauseReason | null };
}

export interface AppHomeInput extends StatusInput {
  /** Those that the reader may see. */
  links: readonly LinkedChannel[];
  /** Whether channels without a link of their own are filed too, in the default folder. */
  hasDefault: boolean;
  mayBrowse: boolean;
}

/** The App Home: what the app does, what needs attention, channels with their folders, and help. */
export function appHome(input: AppHomeInput): View {
  return viewOf([
    prose([
      'I put every file that is shared in a channel into that channel’s folder in the file service. One reaction on the message and one line in its thread say how it went.',
    ]),
    ...attentionBlocks(input),
    heading('Channels'),
    ...channelBlocks(input),
    heading('Help'),
    prose(...commandLines(input), [
      'Type these in a channel. Files you send me here are filed only if this conversation has a folder.',
    ]),
  ]);
}

/** A view that replaces the App Home, with a Refresh button that brings the App Home back. */
export function inAppHome({ blocks }: View): View {
  const claim = { channel: null, page: 1, linksPage: 1 };
  const refresh = button({ action: ACTIONS.homeRefresh, label: 'Refresh', claim });
  return viewOf([...blocks, ...buttonRow([refresh])]);
}

const PER_PAGE = 30;
/** So few that even with the longest names their lines fit in one block without being cut. */
const PER_BLOCK = 8;

function channelBlocks({ links, hasDefault, pages, mayLink }: AppHomeInput): Block[] {
  const shown = pageOf(links, PER_PAGE, pages.linksPage);
  const summary = joined([counted(links.length, placesWord(links)), shownPage(shown)]);
  const buttons = {
    actions: PAGE_ACTIONS.homeLinks,
    claimFor: (linksPage: number) => ({ ...pages, channel: null, linksPage }),
  };
  return [
    ...(links.length === 0
      ? [prose(['None of your channels is linked to a folder of its own yet.'])]
      : [smallPrint(summary)]),
    ...linkBlocks(shown.items),
    ...pager(shown, buttons),
    smallPrint(othersLine(hasDefault, mayLink)),
  ];
}

function linkBlocks(links: readonly LinkedChannel[]): Block[] {
  return Array.from({ length: Math.ceil(links.length / PER_BLOCK) }, (_, nth) =>
    prose(...pageOf(links, PER_BLOCK, nth + 1).items.map(linkLine)),
  );
}

function linkLine({ channel, folder }: LinkedChannel): Line {
  const paused = folder.pausedFor ? ` (paused: ${whyOf(folder.pausedFor)})` : '';
  return line`${nameOf(channel)} → ${{ folder }}${paused}`;
}

function othersLine(hasDefault: boolean, mayLink: boolean): string {
  const link = mayLink ? ' To give one a folder of its own, type /files link there.' : '';
  const others = hasDefault
    ? 'Files shared in channels without a folder of their own go to the default folder.'
    : 'Files shared in channels without a folder stay in Slack only.';
  return `${others}${link}`;
}
