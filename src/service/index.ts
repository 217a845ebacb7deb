export { type AccountList, type Folder, folderPath, isListed } from './account-lists.ts';
export type { BulkSlot, CallOptions } from './call.ts';
export { createServiceClient, type ServiceClient } from './client.ts';
export { filesAgeMs, listAgeMs, REFRESH_AGE_MS } from './copy-ages.ts';
export type { Created } from './create-files.ts';
export {
  isDown,
  isHeldBack,
  isRateLimited,
  ServiceError,
  type ServiceErrorCode,
  unlessCode,
} from './errors.ts';
export type { FileList } from './file-lists.ts';
export { createFolderReader, type FolderReader } from './folder-reader.ts';
export type { ServiceAdapter } from './http.ts';
export type { FileRecord, Project } from './json.ts';
export type { FolderReading } from './mirror-writer.ts';
export {
  type CachedList,
  type CopyOptions,
  createNameCache,
  type NameCache,
} from './name-cache.ts';
export { nameFolder } from './name-folder.ts';
export { createThrottle, type Throttle } from './throttle/throttle.ts';
