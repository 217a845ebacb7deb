import { actOnFoundFile } from '../files/act-on-file.ts';
import { FOUND_FILE_MENU } from '../files/actions.ts';
import { asFilter } from '../kit/commands.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { FOUND_KIND, FOUND_PAGES } from './actions.ts';
import { findFiles } from './find-files.ts';
import { listenForFindModal, openFind } from './find-modal.ts';
import { findModal, OPEN_FIND } from './find-modal-view.ts';

/** The search over the folders of all channels of a person. */
export const find: Surface = {
  verbs: [
    {
      ...{ name: 'find', synonyms: ['search', 'grep'] },
      doing: 'list',
      run: (asked, { rest }, context) =>
        findFiles(asked, { words: asFilter(rest), kind: null, page: 1 }, context),
    },
  ],
  help: [['/files find <words>', 'search all your channels']],
  listens: [
    listenForFindModal,
    onPress([OPEN_FIND], {
      ...{ doing: 'list', replace: false, inHome: true },
      handle: (asked, _, context) => openFind(asked, context),
    }),
    onPress([...Object.values(FOUND_PAGES), FOUND_KIND], {
      doing: 'list',
      handle: findFiles,
      inModal: (found, { words }) => findModal({ words, found }),
    }),
    onPress([FOUND_FILE_MENU], {
      ...{ doing: 'file', replace: false, handle: actOnFoundFile },
      inModal: (found) => findModal({ words: '', found }),
    }),
  ],
};
