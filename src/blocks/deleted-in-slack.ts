import { ACTIONS, shareValue } from './actions.ts';
import { namedFiles } from './file-lines.ts';
import { button } from './layout.ts';
import { ask, type FolderRef, type Line, line, say, type View } from './prose.ts';

/** Filed files of one share. */
export interface FiledCopies {
  files: readonly { name: string }[];
  /** Null where they are in several folders. */
  folder: FolderRef | null;
}

/** Asks a sharer privately whether the filed copies of what was deleted in Slack are to go as well. */
export function deletedInSlack({ shareId, ...copies }: FiledCopies & { shareId: number }): View {
  const { files } = copies;
  const one = files.length === 1;
  const value = shareValue.write(shareId);
  return ask(
    [
      line`${namedFiles(files)} ${one ? 'was' : 'were'} deleted in Slack, and ${one ? 'is' : 'are'} still in ${placeOf(copies)}. Delete ${one ? 'it' : 'them'} there too?`,
    ],
    [
      button({
        action: ACTIONS.deleteCopies,
        label: one ? 'Delete file' : 'Delete files',
        value,
        style: 'danger',
      }),
      button({ action: ACTIONS.keepCopies, label: one ? 'Keep it' : 'Keep them', value }),
    ],
  );
}

function placeOf({ folder }: FiledCopies): Line {
  return folder ? line`${{ folder }}` : ['the file service'];
}

const NONE_LEFT = 'They had already been deleted.';

/** Replaces the question once the sharer chose to delete; `files`: those that were still there. */
export function copiesDeleted(copies: FiledCopies): View {
  const { files } = copies;
  if (files.length === 0) return say([NONE_LEFT]);
  return say(line`Deleted ${namedFiles(files)} from ${placeOf(copies)}.`);
}

/** Replaces the question once the sharer chose to keep what is filed. */
export function copiesKept(copies: FiledCopies): View {
  const { files } = copies;
  if (files.length === 0) return say([NONE_LEFT]);
  const stay = files.length === 1 ? 'stays' : 'stay';
  return say(line`${namedFiles(files)} ${stay} in ${placeOf(copies)}.`);
}
