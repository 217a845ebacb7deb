/** A user of the account, without the API key. */
export interface Person {
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  /** Projects the person may see; any other gives a 403. */
  projects: readonly number[];
  /** Folders in which, and below which, every change gives a 403. */
  readOnlyFolders: readonly number[];
  /** A suspended person's key gives a 401. */
  suspended: boolean;
}

export interface Project {
  id: number;
  title: string;
  description: string;
  archived: boolean;
  creatorId: number;
  /** Where a create without `folder` puts its files. */
  homeFolderId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

export interface Folder {
  id: number;
  projectId: number;
  /** Null for a top folder. */
  parentId: number | null;
  name: string;
  createdAt: number;
  updatedAt: number;
}

/** Uploaded bytes; no folder lists them until a file is created from them. */
export interface Attachment {
  id: number;
  projectId: number;
  uploaderId: number;
  name: string;
  byteSize: number;
  /** The hash of the bytes, in hexadecimal. */
  sha256: string;
  uploadedAt: number;
}

/** A file in a folder. */
export interface StoredFile {
  id: number;
  projectId: number;
  folderId: number;
  /** The attachment that the file was created from; its bytes are the file's. */
  attachmentId: number;
  name: string;
  byteSize: number;
  sha256: string;
  creatorId: number;
  createdAt: number;
  updatedAt: number;
  /** Identifiers of the people who approved the file. */
  approvedBy: readonly number[];
  proofCount: number;
}

/** All that the account holds, in memory. Only `applyEffect` changes its files and folders. */
export interface Account {
  people: Map<number, Person>;
  /** The user of each API key. */
  userIdByKey: Map<string, number>;
  projects: Map<number, Project>;
  folders: Map<number, Folder>;
  files: Map<number, StoredFile>;
  /** By folder, so that listing one folder does not scan all files. */
  filesByFolder: Map<number, Set<StoredFile>>;
  attachments: Map<number, Attachment>;
  usedAttachments: Set<number>;
  /** The highest identifiers ever assigned: none is reused, even after a deletion. */
  lastId: { folder: number; file: number; attachment: number };
}

/** Returns an account that holds nothing. */
export function emptyAccount(): Account {
  return {
    people: new Map(),
    userIdByKey: new Map(),
    projects: new Map(),
    folders: new Map(),
    files: new Map(),
    filesByFolder: new Map(),
    attachments: new Map(),
    usedAttachments: new Set(),
    // Far apart, so that an identifier of the wrong kind never matches anything.
    lastId: { folder: 67_900_000, file: 58_200_000, attachment: 91_300_000 },
  };
}

/** One change of the account, as stored on disk. */
export type Effect =
  | { type: 'attachment-uploaded'; attachment: Attachment }
  | { type: 'files-created'; files: StoredFile[] }
  | { type: 'file-deleted'; fileId: number }
  | { type: 'folder-created'; folder: Folder }
  | { type: 'folder-renamed'; folderId: number; name: string; at: number }
  | { type: 'folders-deleted'; folderIds: number[] };

/** Applies an effect to the account. An effect on something that does not exist does nothing. */
export function applyEffect(account: Account, effect: Effect): void {
  const { attachments, folders, lastId } = account;
  switch (effect.type) {
    case 'attachment-uploaded': {
      const { attachment } = effect;
      attachments.set(attachment.id, attachment);
      lastId.attachment = Math.max(lastId.attachment, attachment.id);
      break;
    }
    case 'files-created':
      for (const file of effect.files) addFile(account, file);
      break;
    case 'file-deleted':
      removeFile(account, effect.fileId);
      break;
    case 'folder-created':
      folders.set(effect.folder.id, effect.folder);
      lastId.folder = Math.max(lastId.folder, effect.folder.id);
      break;
    case 'folder-renamed': {
      const { folderId, name, at } = effect;
      const folder = folders.get(folderId);
      if (folder) folders.set(folderId, { ...folder, name, updatedAt: at });
      break;
    }
    case 'folders-deleted':
      for (const folderId of effect.folderIds) removeFolder(account, folderId);
  }
}

function addFile(account: Account, file: StoredFile): void {
  account.files.set(file.id, file);
  account.usedAttachments.add(file.attachmentId);
  account.lastId.file = Math.max(account.lastId.file, file.id);
  const inFolder = account.filesByFolder.get(file.folderId);
  if (inFolder) inFolder.add(file);
  else account.filesByFolder.set(file.folderId, new Set([file]));
}

function removeFile(account: Account, fileId: number): void {
  const file = account.files.get(fileId);
  if (!file) return;
  account.files.delete(fileId);
  account.filesByFolder.get(file.folderId)?.delete(file);
}

function removeFolder(account: Account, folderId: number): void {
  for (const file of account.filesByFolder.get(folderId) ?? []) removeFile(account, file.id);
  account.filesByFolder.delete(folderId);
  account.folders.delete(folderId);
}
