export type { Attachment, Folder, Person, Project, StoredFile } from './account.ts';
export type { AccountStore } from './account-store.ts';
export { type Behaviour, everyList, type ListKind, type ListOrder } from './behaviour.ts';
export type { BehaviourControl } from './behaviour-control.ts';
export type { AttachmentUse, CreateAnswer } from './call.ts';
export {
  DEMO_API_KEY,
  defaultSeed,
  LIMITED_API_KEY,
  READ_ONLY_API_KEY,
  SUSPENDED_API_KEY,
} from './default-seed.ts';
export type { ErrorTelling } from './error-telling.ts';
export type { Fault, FaultMode, RetryAfter } from './fault.ts';
export type { FaultControl, FaultMoment, FaultScope } from './fault-control.ts';
export { inOneTree } from './folder-tree.ts';
export type { SecondCount } from './minute-history.ts';
export type { Operation } from './operation.ts';
export { isProfileName, PROFILES, type ProfileName } from './profiles.ts';
export type { RateLimit, RateWindow, WindowStatistics } from './rate-window.ts';
export type { RequestEntry, RequestLog } from './request-log.ts';
export type { Seed, SeedFile, SeedFolder, SeedPerson, SeedProject } from './seed.ts';
export {
  type FileService,
  type FileServiceOptions,
  startFileService,
} from './start-file-service.ts';
