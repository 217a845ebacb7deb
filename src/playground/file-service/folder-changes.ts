import type { Account, Folder } from './account.ts';
import { type AccountChange, dropBytes } from './account-change.ts';

/** Changes to folders. */
export interface FolderChanges {
  /** A null parent puts the folder at the top. */
  addFolder(projectId: number, parentId: number | null, name: string): Folder;
  /** Returns null if there is no such folder. */
  renameFolder(folderId: number, name: string): Folder | null;
  /** Deletes a folder, its subfolders and all their files. Returns false if there is no folder. */
  deleteFolder(folderId: number): boolean;
}

export function folderChanges(change: AccountChange): FolderChanges {
  const { account, clock, happen } = change;
  return {
    addFolder: (projectId, parentId, name) => {
      const now = clock.now();
      const id = account.lastId.folder + 1;
      const folder = { id, projectId, parentId, name, createdAt: now, updatedAt: now };
      happen({ type: 'folder-created', folder });
      return folder;
    },
    renameFolder: (folderId, name) => {
      if (!account.folders.has(folderId)) return null;
      happen({ type: 'folder-renamed', folderId, name, at: clock.now() });
      return account.folders.get(folderId) ?? null;
    },
    deleteFolder: (folderId) => {
      if (!account.folders.has(folderId)) return false;
      const folderIds = withSubfolders(account, folderId);
      const files = folderIds.flatMap((id) => [...(account.filesByFolder.get(id) ?? [])]);
      happen({ type: 'folders-deleted', folderIds });
      dropBytes(change, files);
      return true;
    },
  };
}

function withSubfolders(account: Account, folderId: number): number[] {
  const children = [...account.folders.values()].filter(({ parentId }) => parentId === folderId);
  return [folderId, ...children.flatMap(({ id }) => withSubfolders(account, id))];
}
