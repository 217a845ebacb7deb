import type { Folder } from './account.ts';
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

/** Returns one tree: the top folder `rootId`, with a null `parent_id`, and all others below it. */
export function folderTree(
  folders: readonly Folder[],
  rootId: number,
  behaviour: Behaviour,
): FolderTree | undefined {
  const belowRoot = folders.map((folder) => {
    const isOtherTop = folder.parentId === null && folder.id !== rootId;
    return isOtherTop ? { ...folder, parentId: rootId } : folder;
  });
  const [root] = folderTrees(belowRoot, behaviour);
  return root && { ...root, parent_id: null };
}
