export {
  ANNOUNCE_EVERY_MS,
  addedSince,
  announceRequestEveryMs,
  MOST_ANNOUNCED,
  mayBeOurs,
  nextAnnounceMs,
  type SeenUpTo,
  seenWith,
} from './added-files.ts';
export { FILE_KINDS, type FileKind, findWords, kindOf } from './file-search.ts';
export {
  afterAbsent,
  CLOCKS_APART_MS,
  hasSettled,
  isRefusalOf,
  isWorthLooking,
  lookDelay,
  MOST_CREATES,
  settledFrom,
} from './looks.ts';
export {
  ageOf,
  assignRecords,
  isAsNew,
  isSame,
  looksLike,
  matchRecord,
  mayBe,
  type Named,
  type OpenCreate,
  openCreate,
  possibleRecords,
  recordsBy,
} from './match-records.ts';
export { decodeHtml, fileName, sameName } from './names.ts';
export {
  AFTER_PROBE_MS,
  backoff,
  failingSince,
  isWorthAnotherTry,
  MOST_CRASHES,
  type PauseReason,
  pauseReason,
  probeDelay,
} from './retry-policy.ts';
export {
  type Actor,
  countsAsPress,
  LINK_BY,
  type LinkBy,
  may,
  ON_SLACK_DELETE,
  type OnSlackDelete,
  type Permission,
  type Refusal,
  ROLES,
  type Role,
  verdictOn,
} from './rights.ts';
export { comesOtherwise, eachFileOnce, type SameFile } from './same-file.ts';
export {
  type ChannelDestination,
  channelOf,
  type Destination,
  type FolderRef,
  folderNumber,
  type MessageRef,
  oneFolder,
  queueOf,
  queuePartOf,
  queuesOf,
  type Share,
  type SharedFile,
  type ShareOrigin,
  sameDestination,
} from './share.ts';
export { isInFolder, statesBefore, type TransferState } from './state.ts';
