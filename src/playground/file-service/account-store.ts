import type { Clock } from '../../base/index.ts';
import type { Account, Attachment, Effect, Folder, StoredFile } from './account.ts';
import type { ByteStore, ReceivedBytes } from './byte-store.ts';

/** A completely received upload. */
interface Upload {
  projectId: number;
  uploaderId: number;
  name: string;
  bytes: ReceivedBytes;
}

interface AccountStoreOptions {
  account: Account;
  bytes: ByteStore;
  clock: Clock;
  /** Makes an effect lasting and applies it to the account. */
  commit(effect: Effect): void;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

/**
 * Creates the functions that read and change the account, for the service, the page and tests: they
 * know no keys, rights or rate limit. A change is committed when its call returns or resolves.
 */
export function createAccountStore(options: AccountStoreOptions) {
  return { ...readAccess(options), ...fileChanges(options), ...folderChanges(options) };
}

function readAccess({ account, bytes }: AccountStoreOptions) {
  const { people, projects, folders, files, filesByFolder, attachments } = account;
  const isUsed = (attachmentId: number) => account.usedAttachments.has(attachmentId);

  /** The folder and its ancestors, from the folder upwards. */
  function pathOf(folder: Folder): Folder[] {
    const parent = folder.parentId === null ? undefined : folders.get(folder.parentId);
    return parent ? [folder, ...pathOf(parent)] : [folder];
  }

  return {
    people: () => [...people.values()],
    personByKey: (apiKey: string) => people.get(account.userIdByKey.get(apiKey) ?? 0) ?? null,
    projects: () => [...projects.values()],
    project: (projectId: number) => projects.get(projectId) ?? null,
    /** Folders and subfolders, each after its parent. */
    folders: (projectId: number) =>
      [...folders.values()].filter((folder) => folder.projectId === projectId),
    folder: (folderId: number) => folders.get(folderId) ?? null,
    pathOf,
    /** The files of a folder, or of all folders when none is given, in order of creation. */
    files: (folderId?: number) => [
      ...(folderId === undefined ? files.values() : (filesByFolder.get(folderId) ?? [])),
    ],
    file: (fileId: number) => files.get(fileId) ?? null,
    /** The file's bytes; null if there is no such file or its bytes are not stored. */
    openFile: (fileId: number) => {
      const file = files.get(fileId);
      return file ? bytes.open(file.attachmentId) : null;
    },
    attachment: (attachmentId: number) => attachments.get(attachmentId) ?? null,
    /** Whether a file was ever created from the attachment, even if deleted since. */
    isUsed,
    /** Attachments that no file was ever created from. */
    unusedAttachments: () => [...attachments.values()].filter(({ id }) => !isUsed(id)),
  };
}

function fileChanges({ account, bytes, clock, commit }: AccountStoreOptions) {
  return {
    /** Stores an upload's bytes. Removes partial bytes if the stream fails or the signal aborts. */
    receive: bytes.receive,
    addAttachment: async ({ bytes: received, ...upload }: Upload): Promise<Attachment> => {
      const { byteSize, sha256, keepAs } = received;
      // Taken before the bytes are moved, so that concurrent uploads never share an identifier.
      account.lastId.attachment += 1;
      const id = account.lastId.attachment;
      // The bytes come first: a crash in between leaves bytes without an attachment, never the
      // reverse.
      await keepAs(id);
      const attachment = { id, ...upload, byteSize, sha256, uploadedAt: clock.now() };
      commit({ type: 'attachment-uploaded', attachment });
      return attachment;
    },
    /** Creates one file per attachment, all in one effect. */
    createFiles: (folder: Folder, attachments: readonly Attachment[], creatorId: number) => {
      const now = clock.now();
      const firstId = account.lastId.file + 1;
      const files: StoredFile[] = attachments.map(
        ({ id: attachmentId, name, byteSize, sha256 }, index) => ({
          id: firstId + index,
          projectId: folder.projectId,
          folderId: folder.id,
          attachmentId,
          name,
          byteSize,
          sha256,
          creatorId,
          createdAt: now,
          updatedAt: now,
          approvedBy: [],
          proofCount: 0,
        }),
      );
      commit({ type: 'files-created', files });
      return files;
    },
    /**
     * Renames a file, or gives it another number, such as that of a deleted one. Returns the changed
     * file; null if there is none.
     */
    changeFile: (fileId: number, changes: Partial<Pick<StoredFile, 'id' | 'name'>>) => {
      const file = account.files.get(fileId);
      if (!file) return null;
      const changed = { ...file, ...changes };
      commit({ type: 'file-deleted', fileId });
      commit({ type: 'files-created', files: [changed] });
      return changed;
    },
    /** Returns false if there is no such file. */
    deleteFile: (fileId: number) => {
      const file = account.files.get(fileId);
      if (!file) return false;
      commit({ type: 'file-deleted', fileId });
      removeBytes(account, bytes, [file]);
      return true;
    },
  };
}

function folderChanges({ account, bytes, clock, commit }: AccountStoreOptions) {
  const { folders, filesByFolder } = account;

  function withSubfolders(folderId: number): number[] {
    const children = [...folders.values()].filter(({ parentId }) => parentId === folderId);
    return [folderId, ...children.flatMap(({ id }) => withSubfolders(id))];
  }

  return {
    /** A null parent puts the folder at the top. */
    addFolder: (projectId: number, parentId: number | null, name: string): Folder => {
      const now = clock.now();
      const id = account.lastId.folder + 1;
      const folder = { id, projectId, parentId, name, createdAt: now, updatedAt: now };
      commit({ type: 'folder-created', folder });
      return folder;
    },
    /** Returns null if there is no such folder. */
    renameFolder: (folderId: number, name: string) => {
      if (folders.has(folderId)) {
        commit({ type: 'folder-renamed', folderId, name, at: clock.now() });
      }
      return folders.get(folderId) ?? null;
    },
    /** Deletes a folder, its subfolders and all their files. Returns false if there is no folder. */
    deleteFolder: (folderId: number) => {
      if (!folders.has(folderId)) return false;
      const folderIds = withSubfolders(folderId);
      const files = folderIds.flatMap((id) => [...(filesByFolder.get(id) ?? [])]);
      commit({ type: 'folders-deleted', folderIds });
      removeBytes(account, bytes, files);
      return true;
    },
  };
}

/** Removes the bytes of deleted files, except those of an attachment that another file uses. */
function removeBytes(account: Account, bytes: ByteStore, deleted: readonly StoredFile[]): void {
  const unneeded = new Set(deleted.map(({ attachmentId }) => attachmentId));
  for (const { attachmentId } of account.files.values()) unneeded.delete(attachmentId);
  for (const attachmentId of unneeded) bytes.remove(attachmentId);
}
