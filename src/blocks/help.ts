import type { FolderRef, PauseReason } from '../transfers/index.ts';
import { pausedLine } from './attention.ts';
import type { View } from './layout.ts';
import { whyBotIsAbsent } from './link-messages.ts';
import { didYouMean, LINKERS, type Line, line, placeWord, type Reader, say } from './prose.ts';
import { asSentence } from './reasons.ts';
import { beginning, cleanText } from './text.ts';

/** A command, what it does, and the right its readers need. Default: everybody sees it. */
type Command = readonly [command: string, does: string, needs?: 'mayLink' | 'mayBrowse'];

const COMMANDS: readonly Command[] = [
  ['/files', 'the files in this channel’s folder, newest first'],
  ['/files <words>', 'only those with all these words in their names, in any order'],
  ['/files find <words>', 'the same in the folders of all channels you’re in'],
  ['/files link', 'choose the folder for what’s shared in this channel', 'mayLink'],
  ['/files unlink', 'unlink this channel; files already in the folder stay there', 'mayLink'],
  ['/files announce on', 'post when others add files to the folder', 'mayLink'],
  ['/files status', 'what waits or couldn’t be filed, and why'],
  ['/folders', 'the folders a channel can be linked to', 'mayBrowse'],
  ['/files help', 'this text'],
];

const WHO_DELETES = 'Members can delete files they shared; workspace admins can delete any file.';

interface HelpInput extends Reader {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** Whether that is the default folder rather than a link of the channel's own. */
  isDefault: boolean;
  /** Why its link is paused. Default: null, not paused. */
  pausedFor?: PauseReason | null;
  /** Whether the bot is in the conversation. */
  isIn: boolean;
  /** Whether the reader may look through the account's folders. */
  mayBrowse: boolean;
  /** Whether the reader asked in a thread, where Slack accepts no commands. */
  inThread: boolean;
}

/** The response to `/files help`, to a mention and to any words in a direct message to the app. */
export function help(input: HelpInput): View {
  const where =
    'Slack takes no commands in a thread: type these outside it, or choose “Where is this filed?” from a message’s menu.';
  return say(
    whereFilesGo(input),
    input.inThread ? [where] : null,
    ...commandLines(input, placeWord(input)),
    [`${asSentence(`${LINKERS[input.linkBy]} can link channels`)} ${WHO_DELETES}`],
  );
}

/** The commands that the reader may use, a line each; `here`: the word for where they are typed. */
export function commandLines(
  reader: Pick<HelpInput, 'mayLink' | 'mayBrowse'>,
  here = 'channel',
): Line[] {
  const shown = COMMANDS.filter(([, , needs]) => needs === undefined || reader[needs]);
  return shown.map(
    ([command, does]) => line`${{ command }} – ${does.replace('this channel', `this ${here}`)}`,
  );
}

function whereFilesGo(input: HelpInput): Line {
  const { linked: folder, isDefault, isDirect, isIn, mayLink } = input;
  if (!isIn) {
    const then = folder
      ? line`From then on they’re filed in ${{ folder }}.`
      : line`The channel has no folder yet, either.`;
    return line`${whyBotIsAbsent({ isDirect })}${isDirect ? '' : line` ${then}`}`;
  }
  if (input.pausedFor) return pausedLine(input.pausedFor);
  if (folder === null && isDirect && !mayLink)
    return line`This conversation has no folder. To have a file filed, share it in a linked channel.`;
  if (folder === null)
    return line`This ${placeWord(input)} has no folder yet: files shared here stay in Slack only until it’s linked to one.`;
  const which = isDefault ? ', the default for channels without a link of their own.' : '.';
  return line`Files shared in this ${placeWord(input)} are filed in ${{ folder }}${which}`;
}

const MAX_WORDS_LENGTH = 40;

/** The private response to `/files delete` and the like; `typed`: the text after that. */
export function howToDelete({ typed }: { typed: string }): View {
  // The beginning of a name finds it too; `list` keeps words like a verb from being run as one.
  const words = beginning(cleanText(typed), MAX_WORDS_LENGTH);
  const list = words === '' ? '/files' : `/files list ${words}`;
  return say(
    line`To delete a file, type ${{ typed: list }} and press its Delete button.`,
    line`You’ll find the button on files you shared; workspace admins see it on every file.`,
  );
}

const ALL_COMMANDS = line`All commands: ${{ command: '/files help' }}`;

/** The private response to `/files login` and the like. */
export const NO_SIGN_IN = say(
  line`There’s nothing to sign in to: Pigeonhole uses one key of the file service for everybody.`,
  ALL_COMMANDS,
);

/**
 * The private response to a command with words that it does not take; `nearest`: the most similar
 * text after `/files` that it would understand.
 */
export function unknownVerb({ typed, nearest }: { typed: string; nearest: string }): View {
  const list = `/files list ${beginning(cleanText(typed), MAX_WORDS_LENGTH)}`;
  return say(
    line`I don’t know the command ${{ typed }}. ${didYouMean(nearest)}`,
    line`To list the files with that in their names, type ${{ typed: list }}.`,
    ALL_COMMANDS,
  );
}
