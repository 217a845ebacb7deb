import { CLAIMED, CLAIMED_FOLDER, claimWith, through } from '../kit/claims.ts';

const foldersPage = claimWith({ projectId: CLAIMED.id, page: CLAIMED.id });
const projectsPage = claimWith({ page: CLAIMED.id });

export const FOLDERS_PAGES = through('folders_page', foldersPage);
export const PROJECTS_PAGES = through('projects_page', projectsPage);
export const FOLDERS_OF_PROJECT = { id: 'folders_of_project', ...foldersPage };
export const ALL_PROJECTS = { id: 'all_projects', ...projectsPage };
export const FOLDERS_REFRESH = { id: 'folders_refresh', ...foldersPage };
export const PROJECTS_REFRESH = { id: 'projects_refresh', ...projectsPage };
/**
 * Gives the channel this folder; `page`: of the list that it is pressed in; `was`: the folder that the
 * channel had when the list was shown, as folderNumber writes it; empty for none.
 */
export const LINK_FOLDER = {
  id: 'link_folder',
  ...claimWith({ ...CLAIMED_FOLDER, page: CLAIMED.id, was: CLAIMED.text }),
};
