import { z } from 'zod';
import { CLAIMED, CLAIMED_FOLDER, type ClaimOf, claimWith, through } from '../kit/claims.ts';

const filesPage = claimWith({ page: CLAIMED.id, filter: CLAIMED.text.nullable() });

/** To another page of the list: buttons, and a menu of all pages. */
export const FILES_PAGES = {
  menu: { id: 'files_page', ...filesPage },
  ...through('files_page', filesPage),
};
export const SHOW_ALL_FILES = { id: 'files_show_all', ...filesPage };
/** Back to the list, from what is shown of one file. */
export const BACK_TO_FILES = { id: 'files_back', ...filesPage };

/** A file of the list, the page that shows it, and what is chosen of its menu. */
const fileMenu = claimWith({
  ...{ ...CLAIMED_FOLDER, page: CLAIMED.id, filter: CLAIMED.text.nullable(), fileId: CLAIMED.id },
  // Of its name in the list, to know the file again: see markOf.
  mark: z.string().max(20),
  // What opens an address is done by Slack.
  do: z.enum(['open', 'share', 'details', 'delete']),
});

export const FILE_MENU = { id: 'file_menu', ...fileMenu };
/** The same in a list of several folders, which has less to choose. */
export const FOUND_FILE_MENU = { id: 'found_file_menu', ...fileMenu };

export type FileMenuClaim = ClaimOf<typeof fileMenu>;
