/** The `action_id` of every button that the views make. */
export const ACTIONS = {
  retryShare: 'retry_share',
  deleteFile: 'delete_file',
  filesPrevious: 'files_page_prev',
  filesNext: 'files_page_next',
  filesShowAll: 'files_show_all',
  linkFolder: 'link_folder',
  foldersPrevious: 'folders_page_prev',
  foldersNext: 'folders_page_next',
  projectsPrevious: 'projects_page_prev',
  projectsNext: 'projects_page_next',
  foldersOfProject: 'folders_of_project',
  foldersRefresh: 'folders_refresh',
  projectsRefresh: 'projects_refresh',
  fileParked: 'file_parked',
  leaveParked: 'leave_parked',
  backfillStart: 'backfill_start',
  backfillDecline: 'backfill_decline',
  backfillStop: 'backfill_stop',
} as const;

export type ActionId = (typeof ACTIONS)[keyof typeof ACTIONS];
