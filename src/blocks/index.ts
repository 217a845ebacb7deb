export {
  type FileClaim,
  type FilesPageClaim,
  type FoldersPageClaim,
  readDeleteValue,
  readFoldersPageValue,
  readFolderValue,
  readPageValue,
  readProjectsPageValue,
  readReportValue,
  readShareValue,
} from './action-values.ts';
export { ACTIONS, type ActionId } from './actions.ts';
export { buttonOutOfDate } from './button-out-of-date.ts';
export { type ChangeRefusedInput, changeRefused, type RefusedChange } from './change-refused.ts';
export {
  type DeleteRefusal,
  type DeleteRefusedInput,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  fileDeleted,
} from './delete-answers.ts';
export {
  backfillStarted,
  earlierFilesLeft,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
} from './earlier-answers.ts';
export {
  type BackfillOfferInput,
  backfillOffer,
  type ConfirmParkedInput,
  confirmParked,
} from './earlier-files.ts';
export type { ListedFile } from './file-entry.ts';
export { FILES_PER_PAGE, type FileListInput, fileList } from './file-list.ts';
export { type FolderListInput, folderList } from './folder-list.ts';
export type { FolderRef } from './folder-ref.ts';
export type { ListedFolder } from './folder-tree.ts';
export { foldersUnavailable } from './folders-unavailable.ts';
export { type HelpInput, help } from './help.ts';
export { keyRefused } from './key-refused.ts';
export { type LinkRefusal, type LinkRefusedInput, linkRefused } from './link-refused.ts';
export {
  alreadyLinked,
  type LinkedInput,
  linked,
  notLinked,
  type UnlinkedInput,
  unlinked,
} from './link-told.ts';
export { linkUsage } from './link-usage.ts';
export { membersOnly } from './members-only.ts';
export { noDestinationHint } from './no-destination-hint.ts';
export { notForAccounts } from './not-for-accounts.ts';
export { notInChannel } from './not-in-channel.ts';
export { notRecorded } from './not-recorded.ts';
export { type Page, pageOf } from './page-of.ts';
export { type ListedProject, type ProjectListInput, projectList } from './project-list.ts';
export { canRetry, reasonFor } from './reason-for.ts';
export {
  type BackfillProgressInput,
  backfillProgress,
  type CatchUpReportInput,
  catchUpReport,
} from './report-line.ts';
export { type Doing, type ServiceTroubleInput, serviceTrouble } from './service-trouble.ts';
export type { FilePhase, RefusedFile, SendingProgress, ShareFile } from './share-file.ts';
export { type ShareLineInput, shareLine } from './share-line.ts';
export {
  REACTIONS,
  type Reaction,
  reactionFor,
  type SharePhase,
  sharePhase,
} from './share-phase.ts';
export { slowDown } from './slow-down.ts';
export { type UnknownVerbInput, unknownVerb } from './unknown-verb.ts';
export { type UntoldInput, untold } from './untold.ts';
export type { Block, View } from './view.ts';
