export {
  ACTIONS,
  type ActionId,
  type AttentionClaim,
  type AttentionPlace,
  attentionValue,
  type ButtonValue,
  type CopiesClaim,
  channelValue,
  chosenValue,
  copiesValue,
  type FileClaim,
  type FolderClaim,
  type FoundPageClaim,
  filesPageValue,
  fileValue,
  foldersPageValue,
  folderValue,
  foundPageValue,
  MAX_FILTER_LENGTH,
  PAGE_ACTIONS,
  projectsPageValue,
  reportValue,
  shareValue,
} from './actions.ts';
export {
  announcementsStand,
  announcementsSwitched,
  filesAdded,
  noAnnouncements,
} from './added-files.ts';
export { type AppHomeInput, appHome, inAppHome } from './app-home.ts';
export { status, type TroubledChannel } from './attention.ts';
export {
  copiesDeleted,
  copiesKept,
  copiesStopped,
  deletedInSlack,
  type FiledCopies,
} from './deleted-in-slack.ts';
export {
  BACKFILL_STARTED,
  backfillOffer,
  confirmParked,
  EARLIER_FILES_TAKEN,
  type EarlierFiles,
  earlierFilesLeft,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
  waitingFiles,
  waitingSettled,
} from './earlier-files.ts';
export {
  isInHand,
  reactionFor,
  type SendingProgress,
  type ShareFile,
  sharePhase,
} from './file-lines.ts';
export type { ListedFile } from './file-list.ts';
export { FILES_PER_PAGE, type FileListInput, fileList } from './file-list.ts';
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
export { folderList, foldersUnavailable, projectList } from './folder-list.ts';
export {
  type FoundFile,
  type FoundFilesInput,
  foundFiles,
  MAX_SEARCHED,
  type MissedFolders,
  NOWHERE_TO_FIND,
} from './found-files.ts';
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
  NOT_LINKED,
  noDestinationHint,
  notAnnounced,
  notInChannel,
  pausedHere,
  UNLINK_USAGE,
  unlinked,
} from './link-messages.ts';
export {
  folderNotMade,
  LINK_ANNOUNCES,
  LINK_FORM,
  type LinkForm,
} from './link-modal.ts';
export { type LinkRefusal, linkRefusal, linkRefused, linkUsage } from './link-refusals.ts';
export {
  alreadySaved,
  notSeen,
  SAVE_NOT_OPENED,
  type SaveRefusal,
  saveRefusal,
  saveRefused,
  saving,
  WITHOUT_FILES,
  whereFiled,
} from './message-shortcuts.ts';
export {
  type Line,
  type Operator,
  operatorMember,
  type View,
} from './prose.ts';
export {
  buttonOutOfDate,
  changeRefused,
  DONE,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  FORM_OPENED,
  fileDeleted,
  LOOKING,
  leftChannel,
  leftLine,
  MEMBERS_ONLY,
  NOT_FOR_ACCOUNTS,
  NOTHING_TO_RETRY,
  type RefusedChange,
  retriedAll,
  skippedAll,
  slowDown,
  slowDownLine,
} from './refusals.ts';
export { backfillProgress, catchUpReport } from './report-line.ts';
export {
  type FilesToSave,
  type FolderPick,
  filesToSave,
  folderPick,
  SAVE_FORM,
  SAVE_PICK,
  type SaveForm,
  tooManyToSave,
} from './save-modal.ts';
export { missingScopes, SCOPES, scopesMissing, withoutScopes } from './scopes.ts';
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
export { type LineReader, type SavedByHand, shareLine } from './share-line.ts';
