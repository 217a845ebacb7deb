import { showHelp } from '../help/show-help.ts';
import { onCommand } from '../kit/commands.ts';
import { onPress } from '../kit/press.ts';
import { DONE } from '../kit/refusals.ts';
import type { Surface } from '../kit/surface.ts';
import {
  ALL_PROJECTS,
  FOLDERS_OF_PROJECT,
  FOLDERS_PAGES,
  FOLDERS_REFRESH,
  LINK_FOLDER,
  PROJECTS_PAGES,
  PROJECTS_REFRESH,
} from './actions.ts';
import { showFirst, showFolders, showProjects, takeFolder } from './show-folders.ts';

const browsing = { doing: 'folders', command: '/folders' } as const;

/** The folders that a channel can be linked to. */
export const folders: Surface = {
  help: [['/folders', 'all projects and folders', ({ mayBrowse }) => mayBrowse]],
  listens: [
    onCommand('/folders', (text, context) => {
      const typed = text.trim();
      // A project of that name is found by its number, or in quotation marks.
      const isHelp = typed.toLowerCase() === 'help';
      return {
        doing: isHelp ? 'help' : 'folders',
        afterLooking: DONE,
        run: (asked) => (isHelp ? showHelp(asked, context) : showFirst(asked, typed, context)),
      };
    }),
    onPress([...Object.values(FOLDERS_PAGES), FOLDERS_OF_PROJECT], {
      ...browsing,
      handle: showFolders,
    }),
    onPress([FOLDERS_REFRESH], {
      ...browsing,
      handle: (asked, page, context) => showFolders(asked, { ...page, again: true }, context),
    }),
    onPress([LINK_FOLDER], { doing: 'link', command: '/folders', handle: takeFolder }),
    onPress([...Object.values(PROJECTS_PAGES), ALL_PROJECTS], {
      ...browsing,
      handle: showProjects,
    }),
    onPress([PROJECTS_REFRESH], {
      ...browsing,
      handle: (asked, page, context) => showProjects(asked, { ...page, again: true }, context),
    }),
  ],
};
