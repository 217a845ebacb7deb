import type { Readable } from 'node:stream';
import type { Account, Attachment, Folder, Person, Project, StoredFile } from './account.ts';
import type { BytesFolder } from './bytes-folder.ts';
import type { Seed } from './seed.ts';

/** Read access to the account. */
export interface AccountReading {
  people(): Person[];
  personByKey(apiKey: string): Person | null;
  projects(): Project[];
  project(projectId: number): Project | null;
  /** Folders and subfolders, each after its parent. */
  folders(projectId: number): Folder[];
  folder(folderId: number): Folder | null;
  /** The folder and its ancestors, from the folder upwards. */
  pathOf(folder: Folder): Folder[];
  /** The files of a folder, or of all folders when none is given, in order of creation. */
  files(folderId?: number): StoredFile[];
  file(fileId: number): StoredFile | null;
  /** The file's bytes; null if there is no such file or its bytes are not stored. */
  openFile(fileId: number): Readable | null;
  attachment(attachmentId: number): Attachment | null;
  /** Whether a file was ever created from the attachment, even if deleted since. */
  isUsed(attachmentId: number): boolean;
  /** Attachments that no file was ever created from. */
  unusedAttachments(): Attachment[];
}

export function accountReading(account: Account, bytes: BytesFolder, seed: Seed): AccountReading {
  const personIdByKey = new Map(seed.people.map(({ apiKey, id }) => [apiKey, id]));
  return {
    people: () => [...account.people.values()],
    personByKey: (apiKey) => account.people.get(personIdByKey.get(apiKey) ?? 0) ?? null,
    projects: () => [...account.projects.values()],
    project: (projectId) => account.projects.get(projectId) ?? null,
    folders: (projectId) =>
      [...account.folders.values()].filter((folder) => folder.projectId === projectId),
    folder: (folderId) => account.folders.get(folderId) ?? null,
    pathOf: (folder) => pathOf(account, folder),
    files: (folderId) => [
      ...(folderId === undefined
        ? account.files.values()
        : (account.filesByFolder.get(folderId) ?? [])),
    ],
    file: (fileId) => account.files.get(fileId) ?? null,
    openFile: (fileId) => {
      const file = account.files.get(fileId);
      return file ? bytes.open(file.attachmentId) : null;
    },
    attachment: (attachmentId) => account.attachments.get(attachmentId) ?? null,
    isUsed: (attachmentId) => account.usedAttachments.has(attachmentId),
    unusedAttachments: () =>
      [...account.attachments.values()].filter(({ id }) => !account.usedAttachments.has(id)),
  };
}

function pathOf(account: Account, folder: Folder): Folder[] {
  const parent = folder.parentId === null ? undefined : account.folders.get(folder.parentId);
  return parent ? [folder, ...pathOf(account, parent)] : [folder];
}
