export { type AccountList, type Folder, isListed } from './account-lists.ts';
export type { BulkSlot, CallOptions } from './call.ts';
export { createServiceClient, type ServiceClient } from './client.ts';
export type { Created, CreateRequest } from './create-files.ts';
export {
  isRateLimited,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
  unlessCode,
} from './errors.ts';
export type { FileList } from './folder-cache.ts';
export type { ServiceAdapter } from './http.ts';
export type { FileRecord, Project } from './json.ts';
export { ANEW_AGE, filesAge, listAge, orCopy } from './list-cache.ts';
export {
  type CachedList,
  createNameCache,
  type LookOptions,
  type NameCache,
} from './name-cache.ts';
export { callInBulk, patientCall } from './patient-call.ts';
export { createThrottle, type Throttle } from './throttle/throttle.ts';
export type { Upload } from './upload.ts';
