import { decodeHtml } from '../../transfers/decode-html.ts';
import type { Folder } from '../file-record.ts';
import { isJsonObject } from './parse-json.ts';

const DEEPEST = 50;
const MOST_NODES = 200_000;
const LONGEST_NAME = 1_024;
/** What the project's own folder is called where the service gives it no name. */
const TOP_NAME = 'Top folder';

interface Node {
  value: unknown;
  /** The folder whose `children` hold it; null at the top of the answer. */
  within: number | null;
}

/**
 * The folders of an answer in any of its forms: a flat array (service interface, appendix), an array
 * of folders with `children`, or one object, the root folder, with them (appendix 2, R4). Each comes
 * out once, in the order of the answer, the inner after the outer, with its level (1 for the top) and
 * its parent; those that are each other's parents begin at the top. What cannot be read is counted and hides no other, and so is
 * what lies deeper than 50 levels or comes after 200,000 folders: time and memory grow with the
 * answer's length alone.
 *
 * @returns null for what is no list of folders at all
 */
export function flattenFolders(value: unknown): { records: Folder[]; unreadable: number } | null {
  if (!Array.isArray(value) && !isJsonObject(value)) return null;
  if (!Array.isArray(value) && value['id'] === undefined && !Array.isArray(value['children']))
    return null;
  const gathered = gather(value);
  const { placed, tooDeep } = place(gathered.folders);
  return { records: placed, unreadable: gathered.unreadable + tooDeep };
}

// A list that grows while it is read, not recursion: the depth comes from outside.
function gather(value: unknown): { folders: Map<number, Folder>; unreadable: number } {
  const nodes: Node[] = [];
  const folders = new Map<number, Folder>();
  let unreadable = 0;
  const add = (values: readonly unknown[], within: number | null) => {
    const room = MOST_NODES - nodes.length;
    for (const one of values.slice(0, room)) nodes.push({ value: one, within });
    unreadable += Math.max(0, values.length - room);
  };
  add(Array.isArray(value) ? value : [value], null);
  for (const node of nodes) {
    const folder = readFolder(node);
    if (!folder) unreadable += 1;
    else if (!folders.has(folder.id)) folders.set(folder.id, folder);
    const children = isJsonObject(node.value) ? node.value['children'] : undefined;
    if (Array.isArray(children)) add(children, folder?.id ?? node.within);
  }
  return { folders, unreadable };
}

function readFolder({ value, within }: Node): Folder | null {
  if (!isJsonObject(value)) return null;
  const id = wholeNumber(value['id']);
  const name = nameOf(value, within);
  if (id === null || name === null) return null;
  const project = isJsonObject(value['project']) ? wholeNumber(value['project']['id']) : null;
  return {
    id,
    name,
    level: Math.max(1, wholeNumber(value['level']) ?? 1),
    parentId: within ?? wholeNumber(value['parent_id']),
    projectId: project,
  };
}

function nameOf(value: Record<string, unknown>, within: number | null): string | null {
  const given = typeof value['name'] === 'string' ? value['name'].slice(0, LONGEST_NAME) : '';
  const isRoot = within === null && value['parent_id'] === null;
  if (isRoot && /^\s*(root)?\s*$/i.test(given)) return TOP_NAME;
  return given === '' ? null : decodeHtml(given);
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Gives folders their places in the tree, in the order that they came, and drops what lies too deep. */
function place(folders: ReadonlyMap<number, Folder>): { placed: Folder[]; tooDeep: number } {
  const children = Map.groupBy(folders.values(), ({ parentId }) => parentId);
  const isTop = ({ parentId }: Folder) => parentId === null || !folders.has(parentId);
  const places = new Map<number, { folder: Folder; depth: number }>();
  const placeFrom = (top: Folder) => {
    if (places.has(top.id)) return;
    const line = [{ folder: top, depth: 1 }];
    places.set(top.id, { folder: top, depth: 1 });
    for (const { folder, depth } of line)
      for (const child of children.get(folder.id) ?? []) {
        if (places.has(child.id)) continue;
        const below = { folder: { ...child, level: folder.level + 1 }, depth: depth + 1 };
        places.set(child.id, below);
        line.push(below);
      }
  };
  for (const folder of folders.values()) if (isTop(folder)) placeFrom(folder);
  // What is left are circles: each begins with the first of it that was told.
  for (const folder of folders.values()) placeFrom({ ...folder, parentId: null, level: 1 });
  const placed = [...folders.keys()].flatMap((id) => {
    const found = places.get(id);
    return found && found.depth <= DEEPEST ? [found.folder] : [];
  });
  return { placed, tooDeep: folders.size - placed.length };
}
