import { onMessageShortcut } from '../kit/message-shortcut.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { SAVE_AGAIN } from './actions.ts';
import { listenForSaveModal, openSaveModal, saveAgain } from './save-files.ts';
import { SAVE_FORM } from './save-view.ts';

/** “Save files to a folder” on a message. */
export const save: Surface = {
  listens: [
    listenForSaveModal,
    onPress([SAVE_AGAIN], { doing: 'save', handle: saveAgain, inModal: SAVE_FORM.done }),
    onMessageShortcut('save_files', {
      doing: 'save',
      handle: (asked, { share }, context) => openSaveModal(asked, share, context),
    }),
  ],
};
