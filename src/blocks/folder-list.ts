import type { FolderRef } from '../transfers/index.ts';
import {
  ACTIONS,
  foldersPageValue,
  folderValue,
  PAGE_ACTIONS,
  projectsPageValue,
} from './actions.ts';
import {
  type Block,
  button,
  entry,
  heading,
  pageOf,
  pager,
  refreshButton,
  shownCopyAge,
  shownPage,
  smallPrint,
} from './layout.ts';
import { fallbackText, line, prose, say, type View } from './prose.ts';
import { counted, dotted, shownName, shownNumber } from './text.ts';

/** Entries per page: one block each, and Slack allows 50 in a message. */
const PER_PAGE = 20;
const DEEPEST_SHOWN = 8;
const PATH_LENGTH = 30;

interface FolderListInput {
  projectTitle: string | null;
  projectId: number;
  /** The folders of the project, in any order. */
  folders: readonly ListedFolder[];
  /** Whether these are all. */
  complete: boolean;
  /** The folder of this project that the channel is linked to. */
  linkedFolderId: number | null;
  /** Whether the reader may link this channel: shows the buttons for it. */
  mayLink: boolean;
  /** From 1; the last page stands in for one that is not there. */
  page: number;
  /** The age of the copy that the list is made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
}

/** The response to `/folders`: a page of a project's folder tree, each with a button to link it. */
export function folderList(input: FolderListInput): View {
  const { folders, complete, projectId, copyAgeMs } = input;
  const title = shownName(input.projectTitle ?? '', { unnamed: `Project ${projectId}` });
  const shown = pageOf(folderTree(folders), PER_PAGE, input.page);
  const standing = dotted([
    counted(folders.length, 'folder'),
    shownPage(shown),
    shownPath(shown.items[0]?.path ?? []),
    shownCopyAge(copyAgeMs),
  ]);
  const buttons = {
    actions: PAGE_ACTIONS.folders,
    valueFor: (page: number) => foldersPageValue.write({ projectId, page }),
  };
  const refresh = { action: ACTIONS.foldersRefresh, value: buttons.valueFor(shown.page) };
  return {
    text: fallbackText([`Folders of ${title}: ${shownNumber(folders.length)}.`]),
    blocks: [
      heading(`Folders of ${title}`),
      folders.length === 0 && complete ? NO_FOLDERS : smallPrint(standing),
      ...shown.items.map((folder) => folderEntry(folder, input)),
      ...(complete ? [] : [MORE_FOLDERS]),
      ...(input.mayLink || folders.length === 0 ? [] : [WHO_LINKS]),
      ...pager(shown, buttons, ALL_PROJECTS, refreshButton(copyAgeMs, refresh)),
    ],
  };
}

const ALL_PROJECTS = button({
  action: ACTIONS.allProjects,
  label: 'All projects',
  value: projectsPageValue.write({ page: 1 }),
});
const WHO_LINKS = smallPrint('A workspace admin can link this channel to one of these.');
const NO_FOLDERS = prose([
  'This project has no folders yet. Make one in the file service, then try again.',
]);

const MORE_FOLDERS = smallPrint('This project may have more folders than I could read.');

function shownPath(path: readonly string[]): string | null {
  const names = path.slice(-DEEPEST_SHOWN).map((name) => folderName(name, PATH_LENGTH));
  return names.length === 0 ? null : `continues in ${names.join(' › ')}`;
}

function folderEntry(folder: PlacedFolder, input: FolderListInput): Block {
  const { projectId, linkedFolderId, mayLink } = input;
  const indent = '› '.repeat(Math.min(folder.depth, DEEPEST_SHOWN));
  const name = folderName(folder.name);
  if (folder.id === linkedFolderId)
    return entry(`${indent}✓ ${name} – this channel’s folder`, null);
  if (!mayLink) return entry(`${indent}${name}`, null);
  const value = folderValue.write({ projectId, folderId: folder.id });
  const link = { action: ACTIONS.linkFolder, label: 'Link this channel', value };
  return entry(`${indent}${name}`, button({ ...link, spoken: `Link this channel to ${name}` }));
}

function folderName(name: string, max?: number): string {
  return shownName(name, { unnamed: 'unnamed folder', max });
}

/** A project, as the service lists it. */
export interface ListedProject {
  id: number;
  title: string;
  /** An archived project is left out. */
  archived: boolean;
}

interface ProjectListInput {
  /** In any order. */
  projects: readonly ListedProject[];
  /** Whether these are all that the account has. */
  complete: boolean;
  /** From 1; the last page stands in for one that is not there. */
  page: number;
  /** The age of the copy that the list is made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
}

const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The projects to choose from: the response to `/folders` in a channel without a known project. */
export function projectList(input: ProjectListInput): View {
  const { complete, page, copyAgeMs } = input;
  const projects = listedProjects(input.projects);
  const shown = pageOf(projects, PER_PAGE, page);
  const standing = dotted([
    counted(projects.length, 'project'),
    shownPage(shown),
    shownCopyAge(copyAgeMs),
  ]);
  const buttons = {
    actions: PAGE_ACTIONS.projects,
    valueFor: (to: number) => projectsPageValue.write({ page: to }),
  };
  const refresh = { action: ACTIONS.projectsRefresh, value: buttons.valueFor(shown.page) };
  return {
    text: fallbackText([`Projects: ${shownNumber(projects.length)}.`]),
    blocks: [
      heading('Projects'),
      projects.length === 0 && complete ? NO_PROJECTS : smallPrint(standing),
      ...shown.items.map(projectEntry),
      ...(complete ? [] : [MORE_PROJECTS]),
      ...pager(shown, buttons, refreshButton(copyAgeMs, refresh)),
    ],
  };
}

/** Returns the projects that people can choose from, without archived ones, sorted by title. */
export function listedProjects<P extends ListedProject>(all: readonly P[]): P[] {
  return all
    .filter((project) => !project.archived)
    .sort((a, b) => NAMES.compare(a.title, b.title) || a.id - b.id);
}

const NO_PROJECTS = prose([
  'I can’t see any projects in the account. Ask for access to one, then try again.',
]);

const MORE_PROJECTS = smallPrint('The account may have more projects than I could read.');

function projectEntry({ id, title }: ListedProject): Block {
  const name = shownName(title, { unnamed: `Project ${id}` });
  const value = foldersPageValue.write({ projectId: id, page: 1 });
  const show = { action: ACTIONS.foldersOfProject, label: 'Show folders', value };
  return entry(name, button({ ...show, spoken: `Show folders of ${name}` }));
}

interface FoldersUnavailableInput {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** The one project whose folders are refused; null when the account lists no folders at all. */
  refused: { projectId: number; title: string | null } | null;
}

/** The response to `/folders` when the account does not list its projects or folders. */
export function foldersUnavailable({ linked: folder, refused }: FoldersUnavailableInput): View {
  const command = '/files link 12/345';
  const file = shownName(refused?.title ?? '', { unnamed: `project ${refused?.projectId}` });
  return say(
    refused === null
      ? line`This account doesn’t list its folders. You can still link one by its number.`
      : line`The file service doesn’t show me the folders of ${{ file }}. Ask for access to that project, or link a folder by its number.`,
    line`Type ${{ command }} with the numbers of the project and the folder; they’re in the folder’s web address in the file service.`,
    folder === null
      ? line`This channel isn’t linked to a folder.`
      : line`This channel’s files go to ${{ folder }}.`,
  );
}

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
interface PlacedFolder extends ListedFolder {
  depth: number;
  path: readonly string[];
}

/**
 * Returns folders in tree order: each after its parent, siblings by name. A folder whose parent is
 * not among them is placed at the top, and so is one folder of each cycle of parents, so that every
 * folder appears exactly once.
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

// A stack rather than recursion: the service's data decides how deep the tree is.
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
