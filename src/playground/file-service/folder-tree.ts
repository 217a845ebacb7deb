import type { Folder, Project } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Behaviour } from './behaviour.ts';
import { type FolderJson, folderJson } from './record-json.ts';

/** A folder with its subfolders nested in it. */
interface FolderTree extends FolderJson {
  children: FolderTree[];
}

/**
 * Returns the top folders with their subfolders nested in them (service interface, appendix 2, R4).
 * Siblings keep the order of `folders`.
 */
export function folderTrees(folders: readonly Folder[], behaviour: Behaviour): FolderTree[] {
  const children = Map.groupBy(folders, ({ parentId }) => parentId);
  const under = (parentId: number | null, level: number): FolderTree[] =>
    (children.get(parentId) ?? []).map((folder) => ({
      ...folderJson(folder, level, behaviour),
      children: under(folder.id, level + 1),
    }));
  return under(null, 1);
}

/**
 * Returns a project's folders as one tree: below the home folder's top folder are all the others
 * (service interface, appendix 2, R4).
 */
export function inOneTree(store: AccountStore, { id, homeFolderId }: Project): Folder[] {
  const folders = store.folders(id);
  const home = store.folder(homeFolderId);
  const root = (home && store.pathOf(home).at(-1)) ?? folders[0];
  return folders.map((folder) => {
    const isOtherTop = folder.parentId === null && folder.id !== root?.id;
    return root && isOtherTop ? { ...folder, parentId: root.id } : folder;
  });
}
