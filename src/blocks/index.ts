/* A file is exported whole unless some of its exports are for other views only. */
export * from './actions.ts';
export {
  announcementsStand,
  announcementsSwitched,
  filesAdded,
  noAnnouncements,
} from './added-files.ts';
export * from './app-home.ts';
export { status, type TroubledChannel } from './attention.ts';
export * from './deleted-in-slack.ts';
export * from './earlier-files.ts';
export {
  isInHand,
  reactionFor,
  type SendingProgress,
  type ShareFile,
  sharePhase,
} from './file-lines.ts';
export { FILES_PER_PAGE, type FileListInput, fileList, type ListedFile } from './file-list.ts';
export {
  FOLDER_FIELDS,
  type FolderField,
  type FolderForm,
  type FolderRequest,
  type FormKind,
  type FormPlace,
  type FormProblem,
  formErrors,
  formProblemSaid,
  type Modal,
  NOTHING_CHOSEN,
  projectChoice,
  readPlace,
} from './folder-form.ts';
export { folderList, foldersUnavailable, projectList, unknownProject } from './folder-list.ts';
export * from './found-files.ts';
export { help, howToDelete, NO_SIGN_IN, unknownVerb } from './help.ts';
export { pageOf } from './layout.ts';
export {
  addedHere,
  alreadyLinked,
  announcementsUnseen,
  channelPaused,
  linked,
  linkedBefore,
  linkPaused,
  NOT_IN_CONVERSATION,
  noDestinationHint,
  notAnnounced,
  notInChannel,
  notLinked,
  pausedHere,
  UNLINK_USAGE,
  unlinked,
} from './link-messages.ts';
export * from './link-modal.ts';
export * from './link-refusals.ts';
export * from './message-shortcuts.ts';
export { type Line, type Operator, operatorMember, type View } from './prose.ts';
export * from './refusals.ts';
export * from './report-line.ts';
export * from './save-modal.ts';
export * from './scopes.ts';
export {
  folderOptions,
  noOptions,
  type Option,
  projectOptions,
  topFolder,
} from './search-options.ts';
export {
  type Doing,
  keyRefused,
  type Need,
  notRecorded,
  operatorNeeded,
  type ServiceTroubleInput,
  serviceTrouble,
  troubleLine,
} from './service-trouble.ts';
export * from './share-line.ts';
