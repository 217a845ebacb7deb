import type { types } from '@slack/bolt';
import { oncePer } from '../base/index.ts';
import type { FolderRef } from '../transfers/index.ts';
import { ACTIONS, type Action, PAGE_ACTIONS } from './actions.ts';
import {
  type Block,
  button,
  entry,
  heading,
  type PagerOptions,
  pageOf,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from './layout.ts';
import { line, ONE_WHO_LINKS, placeWord, prose, type Reader, say, whoCanLink } from './prose.ts';
import { counted, joined, shownName, shownSpan } from './text.ts';

/** Entries per page: one block each, and Slack allows 50 in a message. */
const PER_PAGE = 20;
const DEEPEST_SHOWN = 8;
const PATH_LENGTH = 30;

interface ShownPart {
  complete: boolean;
  /** From 1; the last page stands in for one that is not there. */
  page: number;
  /** The age of the copy that the list is made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
}

interface PagedList<T, C> extends ShownPart, PagerOptions<C> {
  title: string;
  noun: string;
  /** All of them, in the order in which they are shown. */
  items: readonly T[];
  toEntry(item: T): Block;
  /** Says where a page that begins with this item continues. */
  continues?(first: T): string | null;
  /** Shown instead of the number of items when there are none, and under a list that is not whole. */
  none: string;
  more: string;
  /** Small print under the list. */
  note?: string | null;
  refresh: Action<C>;
  /** A button beside those that turn pages. */
  other?: types.Button;
}

function pagedList<T, C>(list: PagedList<T, C>): View {
  const { title, items, complete, copyAgeMs, claimFor, note = null, other = null } = list;
  const shown = pageOf(items, PER_PAGE, list.page);
  const [first] = shown.items;
  const summary = joined([
    counted(items.length, list.noun),
    shownPage(shown),
    (first && list.continues?.(first)) ?? null,
    copyAgeMs === null ? null : `as of ${shownSpan(copyAgeMs)} ago`,
  ]);
  const refresh = { action: list.refresh, label: 'Refresh', claim: claimFor(shown.page) };
  return viewOf([
    heading(title),
    items.length === 0 && complete ? prose([list.none]) : smallPrint(summary),
    ...shown.items.map(list.toEntry),
    complete ? null : smallPrint(list.more),
    note === null ? null : smallPrint(note),
    ...pager(shown, list, other, copyAgeMs === null ? null : button(refresh)),
  ]);
}

/** `mayLink` shows the buttons that link the reader's conversation. */
interface FolderListInput extends ShownPart, Reader {
  projectTitle: string | null;
  projectId: number;
  /** The folders of the project, in any order. */
  folders: readonly ListedFolder[];
  /** The folder of this project that the channel is linked to. */
  linkedFolderId: number | null;
}

/** The response to `/folders`: a page of a project's folder tree, each with a button to link it. */
export function folderList(input: FolderListInput): View {
  const { folders, projectId } = input;
  return pagedList({
    ...input,
    title: `Folders of ${projectName({ id: projectId, title: input.projectTitle ?? '' })}`,
    noun: 'folder',
    items: folderTree(folders),
    toEntry: (folder) => folderEntry(folder, input),
    continues: ({ path }) => shownPath(path),
    none: 'This project has no folders yet. Make one in the file service, then try again.',
    more: 'This project may have more folders than I could read.',
    note: folders.length === 0 ? null : othersNote(input),
    actions: PAGE_ACTIONS.folders,
    refresh: ACTIONS.foldersRefresh,
    claimFor: (page) => ({ projectId, page }),
    other: ALL_PROJECTS,
  });
}

// Nobody else can link a direct message with the app.
function othersNote({ mayLink, isDirect, linkBy }: Reader): string | null {
  if (mayLink || isDirect) return null;
  return `${ONE_WHO_LINKS[linkBy]} link this channel to one of these.`;
}

const ALL_PROJECTS = button({
  action: ACTIONS.allProjects,
  label: 'All projects',
  claim: { page: 1 },
});

function shownPath(path: readonly string[]): string | null {
  const names = path.slice(-DEEPEST_SHOWN).map((name) => folderName(name, PATH_LENGTH));
  return names.length === 0 ? null : `continues in ${names.join(' › ')}`;
}

function folderEntry(folder: PlacedFolder, input: FolderListInput): Block {
  const { projectId, linkedFolderId, mayLink } = input;
  const here = placeWord(input);
  const indent = '› '.repeat(Math.min(folder.path.length, DEEPEST_SHOWN));
  const name = folderName(folder.name);
  if (folder.id === linkedFolderId)
    return entry(`${indent}✓ ${name} – this ${here}’s folder`, null);
  if (!mayLink) return entry(`${indent}${name}`, null);
  const claim = { projectId, folderId: folder.id };
  const link = { action: ACTIONS.linkFolder, label: `Link this ${here}`, claim };
  return entry(`${indent}${name}`, button({ ...link, spoken: `Link this ${here} to ${name}` }));
}

/** Returns a folder's own name for display, of at most `max` characters: see shownName. */
export function folderName(name: string, max?: number): string {
  return shownName(name, { unnamed: 'unnamed folder', max });
}

/** The same of a project. */
export function projectName({ id, title }: Pick<ListedProject, 'id' | 'title'>, max?: number) {
  return shownName(title, { unnamed: `Project ${id}`, max });
}

/** A project, as the service lists it. */
export interface ListedProject {
  id: number;
  title: string;
  /** An archived project is left out. */
  archived: boolean;
}

const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * The projects (given in any order) to choose from: the response to `/folders` in a channel without
 * a known project.
 */
export function projectList(input: ShownPart & { projects: readonly ListedProject[] }): View {
  return pagedList({
    ...input,
    title: 'Projects',
    noun: 'project',
    items: listedProjects(input.projects),
    toEntry: projectEntry,
    none: 'I can’t see any projects in the account. Ask for access to one, then try again.',
    more: 'The account may have more projects than I could read.',
    actions: PAGE_ACTIONS.projects,
    refresh: ACTIONS.projectsRefresh,
    claimFor: (page) => ({ page }),
  });
}

/** Stands above that list after `/folders` with text that names no project, or not just one. */
export function unknownProject({ typed }: { typed: string }): View {
  return say(line`I don’t know which project you mean by ${{ typed }}.`);
}

/**
 * Returns the projects that people can choose from, without archived ones, sorted by title; once for
 * each list, which must not change.
 */
export const listedProjects = oncePer((all: readonly ListedProject[]): readonly ListedProject[] =>
  all
    .filter((project) => !project.archived)
    .sort((a, b) => NAMES.compare(a.title, b.title) || a.id - b.id),
);

function projectEntry(project: ListedProject): Block {
  const name = projectName(project);
  const claim = { projectId: project.id, page: 1 };
  const show = { action: ACTIONS.foldersOfProject, label: 'Show folders', claim };
  return entry(name, button({ ...show, spoken: `Show folders of ${name}` }));
}

interface FoldersUnavailableInput extends Reader {
  /** Where this channel's files go; null when nowhere. */
  linked: FolderRef | null;
  /** The one project whose folders are refused; null when the account lists no folders at all. */
  refused: { projectId: number; title: string | null } | null;
}

/** The response to `/folders` when the account does not list its projects or folders. */
export function foldersUnavailable(input: FoldersUnavailableInput): View {
  const { linked: folder, refused } = input;
  const command = '/files link 12/345';
  const project = shownName(refused?.title ?? '', { unnamed: `project ${refused?.projectId}` });
  const here = placeWord(input);
  // Nobody else can link a direct message with the app.
  const canLink = input.mayLink || !input.isDirect;
  return say(
    refused === null
      ? line`This account doesn’t list its folders.`
      : line`The file service doesn’t show me the folders of ${project}. Ask for access to that project.`,
    canLink
      ? line`${whoCanLink(input)} still link this ${here} to a folder by the numbers of the project and the folder, like ${{ command }}; they’re in the folder’s web address in the file service.`
      : null,
    folder === null
      ? line`This ${here} isn’t linked to a folder.`
      : line`This ${here}’s files go to ${{ folder }}.`,
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

/** A folder, and the names of those that it is in, from the top down. */
export interface PlacedFolder extends ListedFolder {
  path: readonly string[];
}

/**
 * Returns folders in tree order: each after its parent, siblings by name; once for each list, which
 * must not change. A folder whose parent is not among them is placed at the top. The service's
 * client returns each folder once, at most 50 deep and without cycles of parents.
 */
export const folderTree = oncePer((folders: readonly ListedFolder[]): readonly PlacedFolder[] => {
  const sorted = [...folders].sort((a, b) => NAMES.compare(a.name, b.name) || a.id - b.id);
  const known = new Set(sorted.map((folder) => folder.id));
  const parentOf = ({ parentId }: ListedFolder) =>
    parentId !== null && known.has(parentId) ? parentId : null;
  const children = Map.groupBy(sorted, parentOf);
  const below = (parent: number | null, path: readonly string[]): PlacedFolder[] =>
    (children.get(parent) ?? []).flatMap((folder) => [
      { ...folder, path },
      ...below(folder.id, [...path, folder.name]),
    ]);
  return below(null, []);
});
