import type { types } from '@slack/bolt';
import { oncePer } from '../../base/index.ts';
import { type FolderRef, folderNumber } from '../../core/index.ts';
import type { Action } from '../kit/claims.ts';
import { folderAddress } from '../kit/folder-address.ts';
import {
  type Block,
  button,
  entry,
  heading,
  type PagerOptions,
  pageAt,
  pageOf,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from '../kit/layout.ts';
import {
  type AboutChannel,
  line,
  ONE_WHO_LINKS,
  placeWord,
  prose,
  type Reader,
  say,
  whoCanLink,
} from '../kit/prose.ts';
import { Service, service } from '../kit/service-name.ts';
import { counted, joined, shownFolder, shownName, shownPath, shownSpan } from '../kit/text.ts';
import {
  ALL_PROJECTS,
  FOLDERS_OF_PROJECT,
  FOLDERS_PAGES,
  FOLDERS_REFRESH,
  LINK_FOLDER,
  PROJECTS_PAGES,
  PROJECTS_REFRESH,
} from './actions.ts';

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
  const refresh = {
    ...{ action: list.refresh, label: 'Refresh', claim: claimFor(shown.page) },
    spoken: `Refresh the ${list.noun}s`,
  };
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
  /** The folder of this project to which the channel's files go; null for another or none. */
  currentId: number | null;
  /** The folder that the channel is linked to; null for none. */
  linked: FolderRef | null;
}

/** The response to `/folders`: a page of a project's folder tree, each with a button to link it. */
export function folderList(input: FolderListInput): View {
  const { folders, projectId } = input;
  const { page } = pageAt(folders.length, PER_PAGE, input.page);
  return pagedList({
    ...input,
    title: `Folders of ${projectName({ id: projectId, title: input.projectTitle ?? '' })}`,
    noun: 'folder',
    items: folderTree(folders),
    toEntry: (folder) => folderEntry(folder, { ...input, page }),
    continues: ({ path }) => whereItContinues(path),
    none: `This project has no folders yet. Make one in ${service()}.`,
    more: 'There may be more folders than I could read.',
    note: folders.length === 0 ? null : othersNote(input),
    actions: FOLDERS_PAGES,
    refresh: FOLDERS_REFRESH,
    claimFor: (page) => ({ projectId, page }),
    other: ALL_PROJECTS_BUTTON,
  });
}

// Nobody else can link a direct message with the app.
function othersNote({ mayLink, isDirect, linkBy }: Reader): string | null {
  if (mayLink || isDirect) return null;
  return `${ONE_WHO_LINKS[linkBy]} choose one of these for this channel.`;
}

const ALL_PROJECTS_BUTTON = button({
  action: ALL_PROJECTS,
  label: 'All projects',
  claim: { page: 1 },
});

function whereItContinues(path: readonly string[]): string | null {
  return path.length === 0 ? null : `continues in ${pathOf(path, 120)}`;
}

function pathOf(path: readonly string[], max: number): string {
  return shownPath(
    path.map((name) => folderName(name, PATH_LENGTH)),
    max,
  );
}

// Slack removes spaces at the beginning of a line, but not these.
const INDENT = '\u2003';

function folderEntry(folder: PlacedFolder, input: FolderListInput): Block {
  const { projectId, projectTitle, currentId, linked, mayLink } = input;
  const here = placeWord(input);
  const indent = INDENT.repeat(Math.min(folder.path.length, DEEPEST_SHOWN));
  const path = [...folder.path, folder.name];
  const to = { projectId, folderId: folder.id, projectTitle, folderName: path.join(' › ') };
  const isCurrent = folder.id === currentId;
  const url = folderAddress(isCurrent && linked ? linked : to);
  const named = { before: indent, name: folderName(folder.name), url };
  if (isCurrent)
    return entry({ ...named, before: `${indent}✓ `, after: ` – this ${here}’s folder` }, null);
  if (!mayLink) return entry(named, null);
  const was = linked ? folderNumber(linked) : '';
  const use = button({
    action: LINK_FOLDER,
    label: `Use ${pathOf(path, 45)} for this ${here}`,
    claim: { projectId, folderId: folder.id, page: input.page, was },
    ...(linked ? { confirm: askFirst({ to, linked, here }) } : {}),
  });
  return entry(named, use);
}

function askFirst({ to, linked, here }: { to: FolderRef; linked: FolderRef; here: string }) {
  const named = (folder: FolderRef) => shownFolder(folder, 30, 120);
  return {
    title: `Choose another folder for this ${here}?`,
    text: `Files shared from now on go to ${named(to)}. What’s in ${named(linked)} stays there.`,
    confirm: 'Choose it',
    deny: 'Keep the old one',
  };
}

/** Stands above the list if the channel has got another folder since the list was shown. */
export function changedMeanwhile(where: AboutChannel): View {
  return say(line`This ${placeWord(where)} has another folder by now. Here’s a fresh list.`);
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
    none: 'I can’t see any projects. Ask for access to one.',
    more: 'There may be more projects than I could read.',
    actions: PROJECTS_PAGES,
    refresh: PROJECTS_REFRESH,
    claimFor: (page) => ({ page }),
  });
}

/** Stands above that list after `/folders` with text that names no project, or not just one. */
export function unknownProject({ typed }: { typed: string }): View {
  return say(line`I don’t know the project ${{ typed }}.`);
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
  const label = `Folders of ${projectName(project, 50)}`;
  return entry({ name }, button({ action: FOLDERS_OF_PROJECT, label, claim }));
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
      ? line`${Service()} doesn’t list its folders.`
      : line`${Service()} doesn’t show me the folders of ${project}. Ask for access to it.`,
    canLink
      ? line`${whoCanLink(input)} still choose one by its web address, or by its numbers there, like ${{ command }}.`
      : null,
    folder === null
      ? line`This ${here} has no folder yet.`
      : line`This ${here}’s files go to ${{ folder }}.`,
  );
}

/** A folder of a project, as the service lists it. */
export interface ListedFolder {
  /** Whether it is the project's own, which holds all others. Default: false. */
  isRoot?: boolean;
  id: number;
  name: string;
  /** 1 for the top. */
  level: number;
  /** Null for the top. */
  parentId: number | null;
}

/** A folder, and the names of those that it is in, from the top down, without the project's own. */
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
      ...below(folder.id, folder.isRoot ? path : [...path, folder.name]),
    ]);
  return below(null, []);
});
