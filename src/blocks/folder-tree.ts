/** A folder of a project, as the service lists it. */
export interface ListedFolder {
  id: number;
  name: string;
  /** 1 for the top. */
  level: number;
  /** Null for the top. */
  parentId: number | null;
}

/** A folder in its place: `depth` 0 for the top, `path` from the top down to its parent. */
export interface PlacedFolder extends ListedFolder {
  depth: number;
  path: readonly string[];
}

const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Folders in the order of a tree: each after its parent, siblings by name. A folder whose parent
 * is not among them stands at the top, and so does one of those that are each other's parents:
 * every folder comes out once.
 */
export function folderTree(folders: readonly ListedFolder[]): PlacedFolder[] {
  const sorted = [...folders].sort((a, b) => NAMES.compare(a.name, b.name) || a.id - b.id);
  const known = new Set(sorted.map((folder) => folder.id));
  const children = Map.groupBy(sorted, (folder) => folder.parentId);
  const isTop = ({ parentId }: ListedFolder) => parentId === null || !known.has(parentId);
  const placed = new Map<number, PlacedFolder>();
  for (const folder of [...sorted.filter(isTop), ...sorted]) place(folder, { children, placed });
  return [...placed.values()];
}

interface Placing {
  children: ReadonlyMap<number | null, ListedFolder[]>;
  placed: Map<number, PlacedFolder>;
}

// A stack rather than recursion: depth comes from outside.
function place(top: ListedFolder, { children, placed }: Placing): void {
  const stack: PlacedFolder[] = [{ ...top, depth: 0, path: [] }];
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
    if (placed.has(folder.id)) continue;
    placed.set(folder.id, folder);
    const { depth, name } = folder;
    const path = [...folder.path, name];
    const below = children.get(folder.id) ?? [];
    stack.push(...below.map((child) => ({ ...child, depth: depth + 1, path })).reverse());
  }
}
