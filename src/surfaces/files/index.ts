import { asFilter } from '../kit/commands.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { actOnFile } from './act-on-file.ts';
import { BACK_TO_FILES, FILE_MENU, FILES_PAGES, SHOW_ALL_FILES } from './actions.ts';
import { showFiles } from './show-files.ts';

/** The list of a channel's files. */
export const files: Surface = {
  verbs: [
    {
      ...{ name: 'list', synonyms: ['ls', 'dir'], isGuessed: false, isDefault: true },
      doing: 'list',
      run: (asked, { rest, nearest }, context) =>
        showFiles(asked, { page: 1, filter: asFilter(rest) || null, nearest }, context),
    },
  ],
  help: [
    ['/files', 'the files in this channel’s folder, newest first', ({ hasFolder }) => hasFolder],
    ['/files <words>', 'search this folder', ({ hasFolder }) => hasFolder],
  ],
  listens: [
    // Lists the folder that the channel has now, not the one it had when the button was shown.
    onPress([...Object.values(FILES_PAGES), SHOW_ALL_FILES, BACK_TO_FILES], {
      doing: 'list',
      handle: showFiles,
    }),
    onPress([FILE_MENU], { doing: 'file', handle: actOnFile }),
  ],
};
