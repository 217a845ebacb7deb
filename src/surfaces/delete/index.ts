import { verdictOn } from '../../core/index.ts';
import { showFiles } from '../files/show-files.ts';
import { asFilter } from '../kit/commands.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { DELETE_FILE, PUT_BACK } from './actions.ts';
import { CHOOSE_TO_DELETE, deleteRefused } from './delete-answers.ts';
import { deleteFile } from './delete-file.ts';
import { putBack } from './put-back.ts';

/** The deletion of a file in a list. */
export const deleting: Surface = {
  verbs: [
    {
      ...{ name: 'delete', synonyms: ['rm', 'del', 'remove'], isGuessed: false },
      doing: 'list',
      // Lists what may be meant, to people who may delete: a file is deleted from its menu.
      run: async (asked, { rest }, context) => {
        const reason = verdictOn(asked, 'delete-file', asked.userId);
        if (reason !== 'allowed') return deleteRefused({ reason, name: rest || null });
        const filter = asFilter(rest) || null;
        return showFiles(asked, { page: 1, filter, hint: CHOOSE_TO_DELETE }, context);
      },
    },
  ],
  listens: [
    onPress([DELETE_FILE], { doing: 'delete', handle: deleteFile }),
    onPress([PUT_BACK], { doing: 'put-back', replace: false, handle: putBack }),
  ],
};
