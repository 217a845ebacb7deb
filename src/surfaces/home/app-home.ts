import type { FolderReason, FolderRef } from '../../core/index.ts';
import type { RecentFile } from '../../ledger/index.ts';
import { OPEN_FIND } from '../find/find-modal-view.ts';
import { commandLines } from '../help/help.ts';
import { NOWHERE } from '../kit/app-home.ts';
import {
  type Block,
  button,
  buttonRow,
  channelPicker,
  heading,
  pageOf,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from '../kit/layout.ts';
import { LINKERS, type Line, line, prose } from '../kit/prose.ts';
import { whyOf } from '../kit/reasons.ts';
import { service } from '../kit/service-name.ts';
import type { HelpLine } from '../kit/surface-context.ts';
import { counted, isChannelId, joined, shownFolder } from '../kit/text.ts';
import { linkButton } from '../link/link-messages.ts';
import { HOME_CHANNEL, HOME_PAGES } from '../status/actions.ts';
import { attentionBlocks, nameOf, placesWord, type StatusInput } from '../status/attention-view.ts';

interface LinkedChannel {
  /** Slack's identifier. */
  channel: string;
  /** `heldFor`: why the link is paused, so that its files wait. Default: null, not paused. */
  folder: FolderRef & { heldFor?: FolderReason | null };
}

/** Most files of the reader's own that are shown. */
export const MOST_RECENT = 10;

/** A filed file that the reader shared. */
interface OwnFile extends Pick<RecentFile, 'name' | 'recordUrl' | 'sharedAt'> {
  folder: FolderRef;
}

export interface AppHomeInput extends StatusInput {
  /** At most MOST_RECENT, last ones first. */
  recent: readonly OwnFile[];
  /** Whether any channel of the workspace has a link. */
  hasLinks: boolean;
  /** Those that the reader may see. */
  links: readonly LinkedChannel[];
  mayBrowse: boolean;
  commands: readonly HelpLine[];
}

/** The App Home: stuck files, the reader's own, channels with their folders, and help. */
export function appHome(input: AppHomeInput): View {
  return viewOf([
    ...attentionBlocks(input),
    ...recentBlocks(input),
    heading('Channels'),
    ...channelBlocks(input),
    ...(input.hasLinks ? [] : firstSteps(input)),
    ...searchButtons(),
    heading('Help'),
    prose(
      [
        `Share a file in a channel with a folder, and I’ll put it there in ${service()}: ✅ filed, ⏳ on its way, ⚠️ needs you.`,
      ],
      // In a channel with a folder of its own.
      ...commandLines({ ...input, isDirect: false, hasFolder: true, isDefault: false }),
      [`Type these in a channel.${filesHere(input) ? '' : ' I don’t file what you send me here.'}`],
    ),
  ]);
}

// An admin sees the folders of others' direct messages, too.
function filesHere({ hasDefault, links }: AppHomeInput): boolean {
  return hasDefault || links.some(({ channel }) => !isChannelId(channel));
}

function searchButtons(): Block[] {
  return buttonRow([button({ action: OPEN_FIND, label: 'Find files', claim: {} })]);
}

/** So few that even with the longest names their lines fit in one block without being cut. */
const FILES_PER_BLOCK = 5;

function recentBlocks({ recent }: AppHomeInput): Block[] {
  if (recent.length === 0) return [];
  return [heading('Your recent files'), ...inBlocks(recent.map(fileLine), FILES_PER_BLOCK)];
}

function fileLine({ name: file, recordUrl: url, folder, sharedAt: day }: OwnFile): Line {
  return line`${{ file, url }} in ${{ folder }}, ${{ day }}`;
}

function firstSteps({ mayLink, linkBy }: AppHomeInput): Block[] {
  const link = { command: '/files link' };
  const choose = mayLink
    ? line`1. Choose a channel above, then its folder.`
    : line`1. Ask one of the ${LINKERS[linkBy]} to type ${link} in a channel.`;
  return [
    heading('Three steps to begin'),
    prose(
      choose,
      line`2. Share a file in the channel.`,
      line`3. Find it again: type ${{ command: '/files' }} there, or ${{ command: '/files find' }} and words of its name.`,
    ),
  ];
}

const PER_PAGE = 30;
const PER_PAGE_WITH_BUTTONS = 15;
/** So few that even with the longest names their lines fit in one block without being cut. */
const PER_BLOCK = 8;

function channelBlocks({ links, hasDefault, pages, mayLink, now }: AppHomeInput): Block[] {
  const shown = pageOf(links, mayLink ? PER_PAGE_WITH_BUTTONS : PER_PAGE, pages.linksPage);
  const summary = joined([counted(links.length, placesWord(links)), shownPage(shown)]);
  const buttons = {
    ...{ noun: 'channel', actions: HOME_PAGES },
    claimFor: (linksPage: number) => ({ ...pages, channel: null, linksPage }),
  };
  return [
    ...(links.length === 0
      ? [prose(['None of your channels has a folder of its own yet.'])]
      : [smallPrint(summary)]),
    ...linkBlocks(shown.items, mayLink),
    ...pager(shown, buttons),
    smallPrint(othersLine(hasDefault, mayLink)),
    ...(mayLink ? [channelToLink(pages, now)] : []),
  ];
}

function channelToLink(pages: AppHomeInput['pages'], shownAt: number): Block {
  const claim = { ...pages, channel: NOWHERE, shownAt };
  return channelPicker(HOME_CHANNEL, { spoken: 'Choose a channel', claim });
}

function linkBlocks(links: readonly LinkedChannel[], mayLink: boolean): Block[] {
  if (mayLink)
    return links.flatMap((link) => [prose(linkLine(link)), ...buttonRow([settingsOf(link)])]);
  return inBlocks(links.map(linkLine), PER_BLOCK);
}

function inBlocks(lines: readonly Line[], perBlock: number): Block[] {
  return Array.from({ length: Math.ceil(lines.length / perBlock) }, (_, nth) =>
    prose(...pageOf(lines, perBlock, nth + 1).items),
  );
}

function settingsOf({ channel, folder }: LinkedChannel) {
  return linkButton({ elsewhere: channel }, `Settings for ${shownFolder(folder, 30, 60)}`);
}

function linkLine({ channel, folder }: LinkedChannel): Line {
  const paused = folder.heldFor ? ` (paused: ${whyOf(folder.heldFor)})` : '';
  return line`${nameOf(channel)} → ${{ folder }}${paused}`;
}

function othersLine(hasDefault: boolean, mayLink: boolean): string {
  const link = mayLink ? ' To give one a folder of its own, choose it here:' : '';
  const others = hasDefault
    ? 'Files shared in channels without a folder of their own go to the default folder.'
    : 'Files shared in channels without a folder stay in Slack only.';
  return `${others}${link}`;
}
