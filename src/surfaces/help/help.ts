import type { FolderReason, FolderRef } from '../../core/index.ts';
import type { View } from '../kit/layout.ts';
import {
  didYouMean,
  type Line,
  line,
  ONE_WHO_LINKS,
  placeWord,
  type Reader,
  say,
  whoCanLink,
} from '../kit/prose.ts';
import { service } from '../kit/service-name.ts';
import type { HelpLine, HelpReader } from '../kit/surface-context.ts';
import { beginning, cleanText } from '../kit/text.ts';
import { whyBotIsAbsent } from '../link/link-messages.ts';
import { pausedLine } from '../status/attention-view.ts';

/** Where the files of a conversation go, and who reads that. */
interface WhereInput extends Reader {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** Whether that is the default folder rather than a link of the channel's own. */
  isDefault: boolean;
  /** Why its link is paused. Default: null, not paused. */
  heldFor?: FolderReason | null;
  /** Whether the bot is in the conversation. */
  isIn: boolean;
}

interface HelpInput extends WhereInput {
  /** Whether the reader may look through the account's folders. */
  mayBrowse: boolean;
  /** All commands; those are shown that the reader can use. */
  commands: readonly HelpLine[];
  /** Whether the reader asked in a thread, where Slack accepts no commands. */
  inThread: boolean;
}

/** The response to `/files help`, to a mention and to any words in a direct message to the app. */
export function help(input: HelpInput): View {
  const where =
    'Slack takes no commands in a thread. Type these outside it, or use a message’s menu.';
  return say(
    whereFilesGo(input),
    input.inThread ? [where] : null,
    ...commandLines({ ...input, hasFolder: input.linked !== null }),
    whoChooses(input),
  );
}

// Where there is no folder, it is said at once.
function whoChooses({ mayLink, isDirect, isIn, linked, linkBy }: HelpInput): Line | null {
  if (mayLink || isDirect || (isIn && linked === null)) return null;
  return [`${ONE_WHO_LINKS[linkBy]} choose the folder.`];
}

/** The commands that the reader can use there, a line each. */
export function commandLines(reader: HelpReader & Pick<HelpInput, 'commands'>): Line[] {
  const here = `this ${placeWord(reader)}`;
  const shown = reader.commands.filter(([, , isFor = () => true]) => isFor(reader));
  return shown.map(
    ([command, does]) => line`${{ command }} – ${does.replace('this channel', here)}`,
  );
}

function whereFilesGo(input: WhereInput): Line {
  const { linked: folder, isDefault, isDirect, isIn, mayLink } = input;
  if (!isIn) {
    const then = folder
      ? line`From then on they’re filed in ${{ folder }}.`
      : line`The channel has no folder yet, either.`;
    return line`${whyBotIsAbsent({ isDirect })}${isDirect ? '' : line` ${then}`}`;
  }
  if (input.heldFor) return pausedLine(input.heldFor);
  if (folder === null && isDirect && !mayLink)
    return line`Share a file in a channel with a folder, and I’ll file it.`;
  if (folder === null)
    return line`This ${placeWord(input)} has no folder yet. ${whoCanLink(input)} choose one with ${{ command: '/files link' }}.`;
  const which =
    isDefault && !isDirect ? ', like those of all channels without a folder of their own.' : '.';
  return line`I file what’s shared here in ${{ folder }}${which}`;
}

const MAX_WORDS_LENGTH = 40;

const ALL_COMMANDS = line`All commands: ${{ command: '/files help' }}`;

/** The private response to `/files login` and the like. */
export function noSignIn(): View {
  return say(line`There’s nothing to sign in to.`, ALL_COMMANDS);
}

/** The private response to `/files upload` and the like. */
export function noUpload(input: WhereInput): View {
  const earlier = 'For an earlier file, choose “Save files to a folder” in its message’s menu.';
  return say(whereFilesGo(input), input.mayLink ? [earlier] : null);
}

/** The private response to `/files rename` and the like. */
export function noRenaming(): View {
  return say(
    line`I can’t rename or move files. Do it in ${service()}, and ${{ command: '/files' }} shows it.`,
  );
}

/**
 * The private response to a command with words that it does not take; `nearest`: the most similar
 * text after `/files` that it would understand.
 */
export function unknownVerb({ typed, nearest }: { typed: string; nearest: string }): View {
  const find = `/files find ${beginning(cleanText(typed), MAX_WORDS_LENGTH)}`;
  return say(
    line`I don’t know ${{ typed }}. ${didYouMean(nearest)} Or find files with ${{ typed: find }}.`,
  );
}
