import { FORM_OPENED } from '../kit/refusals.ts';
import type { Surface } from '../kit/surface.ts';
import { listenForSettings, openSettings } from './settings-modal.ts';

/** The settings of a channel: its folder, how much is said there, and what is announced. */
export const settings: Surface = {
  verbs: [
    {
      name: 'settings',
      doing: 'link',
      afterLooking: () => FORM_OPENED,
      run: (asked, _typed, context) => openSettings(asked, context),
    },
  ],
  help: [
    [
      '/files settings',
      'this channel’s folder, and how much I say here',
      ({ mayLink, hasFolder, isDefault }) => mayLink && hasFolder && !isDefault,
    ],
  ],
  listens: [listenForSettings],
};
