import type { FolderRef } from './folder-ref.ts';
import type { Line } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

export interface HelpInput {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** Whether that is the default folder rather than a link of the channel's own. */
  isDefault: boolean;
}

const COMMANDS: readonly (readonly [command: string, does: string])[] = [
  ['/files', 'the files in this channel’s folder, newest first'],
  ['/files <text>', 'only files with that text in their name'],
  ['/files find <text>', 'the same, for a text that is also a command'],
  ['/files link <project>/<folder>', 'file this channel’s shares in that folder'],
  ['/files unlink', 'take that link away; files already in the folder stay there'],
  ['/folders', 'the folders of the project, each with a button to link it'],
  ['/files help', 'this text'],
];

const RIGHTS =
  'Workspace admins can link channels. Members can delete the files that they shared, and workspace admins any file.';

/** The private answer to `/files help`. */
export function help({ linked, isDefault }: HelpInput): View {
  const commands = COMMANDS.map(([command, does]): Line => [{ command }, ` – ${does}`]);
  return say(standing(linked, isDefault), ...commands, [RIGHTS]);
}

function standing(linked: FolderRef | null, isDefault: boolean): Line {
  if (linked === null) {
    return [
      'This channel has no folder yet: files shared here are not filed until it is linked to one.',
    ];
  }
  const which = isDefault ? ', the default for channels without a link of their own.' : '.';
  return ['Files shared in this channel are filed in ', { folder: linked }, which];
}
