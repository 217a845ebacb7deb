import { type FolderRef, type Line, line, say, type View } from './prose.ts';
import { cleanText, cut } from './text.ts';

const COMMANDS: readonly (readonly [command: string, does: string])[] = [
  ['/files', 'the files in this channel’s folder, newest first'],
  ['/files <text>', 'only files with that text in their names'],
  ['/files find <text>', 'search for a word that is also a command'],
  ['/files link <project>/<folder>', 'file what’s shared in this channel in that folder'],
  ['/files unlink', 'unlink this channel; files already in the folder stay there'],
  ['/folders', 'the folders of the project, each with a button to link it'],
  ['/files help', 'this text'],
];

const RIGHTS =
  'Workspace admins can link channels. Members can delete files they shared; workspace admins can delete any file.';

export interface HelpInput {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** Whether that is the default folder rather than a link of the channel's own. */
  isDefault: boolean;
}

/** The private answer to `/files help`. */
export function help({ linked, isDefault }: HelpInput): View {
  const commands = COMMANDS.map(([command, does]) => line`${{ command }} – ${does}`);
  return say(standing(linked, isDefault), ...commands, [RIGHTS]);
}

function standing(folder: FolderRef | null, isDefault: boolean): Line {
  if (folder === null)
    return line`This channel has no folder yet: files shared here stay in Slack only until it’s linked to one.`;
  const which = isDefault ? ', the default for channels without a link of their own.' : '.';
  return line`Files shared in this channel are filed in ${{ folder }}${which}`;
}

export interface UnknownVerbInput {
  /** What stood after the command. */
  typed: string;
  /** The verb that is most like it; null when none is. */
  nearest: string | null;
}

/** The private answer to a word that is no verb. */
export function unknownVerb({ typed, nearest }: UnknownVerbInput): View {
  const guess = nearest === null ? [] : line` Did you mean ${{ command: `/files ${nearest}` }}?`;
  const find = `/files find ${cut(cleanText(typed), 40)}`;
  return say(
    line`I don’t know the command ${{ typed }}.${guess}`,
    line`To search for files with that in their names, type ${{ typed: find }}.`,
    line`All commands: ${{ command: '/files help' }}`,
  );
}
