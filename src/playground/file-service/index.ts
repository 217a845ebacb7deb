export type { Folder, StoredFile } from './account.ts';
export type { AccountStore } from './account-store.ts';
export {
  type Behaviour,
  everyList,
  isProfileName,
  type ListOrder,
  PROFILES,
  type ProfileName,
} from './behaviour.ts';
export {
  DEMO_API_KEY,
  defaultSeed,
  LIMITED_API_KEY,
  READ_ONLY_API_KEY,
  SUSPENDED_API_KEY,
} from './default-seed.ts';
export type { Fault, FaultMode, FaultMoment, FaultScope } from './faults.ts';
export { inOneTree } from './project-folders.ts';
export type { AttachmentUse, CreateAnswer } from './request-context.ts';
export type { Operation } from './routes.ts';
export type { Seed, SeedFile, SeedFolder } from './seed.ts';
export {
  type FileService,
  type FileServiceOptions,
  startFileService,
} from './start-file-service.ts';
