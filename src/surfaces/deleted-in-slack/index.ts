import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { DELETE_COPIES, KEEP_COPIES } from './actions.ts';
import { deleteCopies, keepCopies } from './choose-copies.ts';
import { listenForDeletions } from './record-deletions.ts';

/** What becomes of the copies of files that somebody deleted in Slack. */
export const deletedInSlack: Surface = {
  listens: [
    listenForDeletions,
    onPress([DELETE_COPIES], { doing: 'delete', handle: deleteCopies }),
    onPress([KEEP_COPIES], { doing: 'delete', handle: keepCopies }),
  ],
};
