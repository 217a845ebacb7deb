export { type AccountList, type Folder, isListed } from './account-lists.ts';
export type { BulkSlot, CallOptions } from './call.ts';
export { createServiceClient, type ServiceClient } from './client.ts';
export { filesAge, listAge, orOlderCopy, REFRESH_AGE } from './copy-ages.ts';
export type { Created, CreateRequest } from './create-files.ts';
export {
  isHeldBack,
  isRateLimited,
  ServiceError,
  type ServiceErrorCode,
  unlessCode,
} from './errors.ts';
export type { FileList } from './file-lists.ts';
export {
  createFolderReader,
  type FolderReader,
  type FolderReading,
} from './folder-reader.ts';
export type { ServiceAdapter } from './http.ts';
export type { FileRecord, Project } from './json.ts';
export {
  type CachedList,
  type CopyOptions,
  createNameCache,
  type NameCache,
} from './name-cache.ts';
export { patientCall } from './patient-call.ts';
export { createThrottle, type Throttle } from './throttle/throttle.ts';
