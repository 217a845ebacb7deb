export type {
  CallOptions,
  CreateRequest,
  FileGlimpse,
  ListOptions,
  ServiceClient,
  Upload,
  UploadSource,
} from './client.ts';
export { createServiceClient, type ServiceClientOptions } from './create-service-client.ts';
export { createDirectory, type Directory, type LookOptions } from './directory.ts';
export type { AccountList, FileList, FileRecord, Folder, Person, Project } from './file-record.ts';
export type { KeptList } from './kept-lists.ts';
export type { ServiceAdapter } from './requests/request-sender.ts';
export {
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
} from './requests/service-error.ts';
export { createThrottle } from './throttle/create-throttle.ts';
export type {
  Admission,
  AdmissionRequest,
  Lane,
  Throttle,
  ThrottleState,
} from './throttle/throttle.ts';
export type { ThrottleOptions } from './throttle/throttle-options.ts';
