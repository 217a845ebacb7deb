import { createHash } from 'node:crypto';
import {
  type Account,
  applyEffect,
  emptyAccount,
  type Folder,
  type Person,
  type Project,
} from './account.ts';

/** What an account holds when it is first started. */
export interface Seed {
  people: readonly SeedPerson[];
  projects: readonly SeedProject[];
}

/** By default not suspended, and with the right to change every folder. */
export type SeedPerson = Omit<Person, 'readOnlyFolders' | 'suspended'> &
  Partial<Person> & {
    /** The key for `X-API-KEY`. */
    apiKey: string;
  };

/** By default not archived, and without a description. The home folder may be at any depth. */
export type SeedProject = Omit<Project, 'description' | 'archived'> &
  Partial<Project> & { folders: readonly SeedFolder[] };

export interface SeedFolder {
  id: number;
  name: string;
  folders?: readonly SeedFolder[];
  files?: readonly SeedFile[];
}

export interface SeedFile {
  /** Also the identifier of the attachment that the file was created from. */
  id: number;
  name: string;
  /** The file's bytes, as UTF-8. */
  content: string;
  creatorId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** People who approved it. Default: nobody. */
  approvedBy?: readonly number[];
  /** Default: 0. */
  proofCount?: number;
}

/** An account, and its files' bytes by attachment identifier. */
interface SeededAccount {
  account: Account;
  contents: Map<number, Buffer>;
}

/** Creates the account that a seed describes. */
export function seedAccount({ people, projects }: Seed): SeededAccount {
  const seeded: SeededAccount = { account: emptyAccount(), contents: new Map() };
  const { account } = seeded;
  for (const { apiKey, ...person } of people) {
    account.people.set(person.id, { readOnlyFolders: [], suspended: false, ...person });
    account.userIdByKey.set(apiKey, person.id);
  }
  for (const project of projects) {
    const { folders, ...described } = project;
    account.projects.set(project.id, { description: '', archived: false, ...described });
    addFolders(seeded, project, { folders, parentId: null });
  }
  return seeded;
}

function addFolders(
  seeded: SeededAccount,
  project: SeedProject,
  { folders, parentId }: { folders: readonly SeedFolder[]; parentId: number | null },
): void {
  const { id: projectId, createdAt } = project;
  for (const { id, name, files = [], folders: subfolders = [] } of folders) {
    const folder = { id, name, projectId, parentId, createdAt, updatedAt: createdAt };
    applyEffect(seeded.account, { type: 'folder-created', folder });
    for (const file of files) addFile(seeded, folder, file);
    addFolders(seeded, project, { folders: subfolders, parentId: id });
  }
}

function addFile({ account, contents }: SeededAccount, folder: Folder, seed: SeedFile): void {
  const { projectId } = folder;
  const { id, name, creatorId, createdAt, approvedBy = [], proofCount = 0 } = seed;
  const content = Buffer.from(seed.content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const described = { id, projectId, name, byteSize: content.length, sha256 };
  const attachment = { ...described, uploaderId: creatorId, uploadedAt: createdAt };
  const file = {
    ...described,
    attachmentId: id,
    folderId: folder.id,
    creatorId,
    createdAt,
    updatedAt: createdAt,
    approvedBy,
    proofCount,
  };
  applyEffect(account, { type: 'attachment-uploaded', attachment });
  applyEffect(account, { type: 'files-created', files: [file] });
  contents.set(id, content);
}
