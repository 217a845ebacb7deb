import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Destination, folderNumber, nameMatcher, searchForm } from '../../core/index.ts';
import type { ListedFolder, ListedProject, PlacedFolder } from '../folders/folder-list.ts';
import { projectName } from '../folders/folder-list.ts';
import { MAX_OPTION_LENGTH, MAX_OPTIONS, type Option, option } from '../kit/layout.ts';
import { Service, service } from '../kit/service-name.ts';
import { cleanText, counted, cut, shownFolder, shownNumber, shownText } from '../kit/text.ts';

/** The values of options that stand for no folder. */
const NOT_YET = 'none';
const NO_PROJECT = 'new';
/** Slack's limit for the value of an option. */
const MAX_VALUE_LENGTH = 150;

/** What the value of an option asks for: a folder as it may be typed, or a new one in a project. */
export type FolderRequest = { typed: string } | { newIn: number; name: string };

/**
 * Returns what a chosen value asks for; null if it is none of ours. An address of the account is
 * without its beginning there, to be short.
 */
export function readChoice(value: string): FolderRequest | null {
  const [, newIn, name] = /^new\/([1-9]\d{0,14})\/(.+)$/.exec(value) ?? [];
  if (newIn !== undefined && name !== undefined) return { newIn: Number(newIn), name };
  const isFolder = /^([1-9]\d{0,14}\/[1-9]\d{0,14}|\/[^/].*)$/.test(value);
  return isFolder ? { typed: value } : null;
}

/** A folder as the field names it; `address`: as it was pasted, kept if there is room for it. */
export function folderOption(
  folder: Destination & { projectTitle: string | null; folderName: string | null },
  address = '',
): Option {
  const { pathname = '', search = '', hash = '' } = URL.parse(address) ?? {};
  const tail = `${pathname}${search}${hash}`;
  const isKept = /\d/.test(tail) && readChoice(tail) && tail.length <= MAX_VALUE_LENGTH;
  return option(shortPath(folder), isKept ? tail : folderNumber(folder));
}

/** A folder's path, of which the folder's own name stays whole, as far as there is room for it. */
function shortPath(folder: Parameters<typeof shownFolder>[0]): string {
  for (const max of [60, 30, 18]) {
    const path = shownFolder(folder, max, MAX_OPTION_LENGTH);
    if (path.length <= MAX_OPTION_LENGTH) return path;
  }
  return cut(
    shownFolder({ ...folder, projectTitle: null }, 60, MAX_OPTION_LENGTH),
    MAX_OPTION_LENGTH,
  );
}

/** A name as searches compare it. */
interface Searched {
  own: string;
  /** The own name after those of the folders that it is in. */
  whole: string;
  /** That and the number: the text in which words are sought. */
  text: string;
}

export type SearchedProject = ListedProject & Searched;
export type SearchedFolder = PlacedFolder & Searched;

/** Prepares a project for searches. */
export function searchedProject(project: ListedProject): SearchedProject {
  const own = folded(project.title);
  return { ...project, own, whole: own, text: `${own} ${project.id}` };
}

/** Prepares a folder of a folderTree for searches. */
export function searchedFolder(folder: PlacedFolder): SearchedFolder {
  const { path, name, id } = folder;
  const whole = folded([...path, name].join(' '));
  return { ...folder, own: folded(name), whole, text: `${whole} ${id}` };
}

/** The folders of a project that could be read. */
export interface SearchedList {
  project: SearchedProject;
  folders: readonly SearchedFolder[];
  /** Whether that is all. */
  complete: boolean;
}

interface Search {
  /** The own project first. */
  lists: readonly SearchedList[];
  typed: string;
  /** How many projects are not among them. */
  unread: number;
  /** The options for a new folder. */
  news: readonly Option[];
}

const NEARNESS = ['same', 'begins so', 'other'] as const;

/**
 * Resolves with the folders that have all the words typed in their path or their project's title:
 * nearest first, otherwise in their order. Options for a new folder come first, or last if something
 * was typed. Yields between projects.
 */
export async function folderOptions({ lists, typed, unread, news }: Search): Promise<Option[]> {
  const isFound = nameMatcher(withoutSlashes(typed));
  const wanted = folded(typed);
  const near: Record<(typeof NEARNESS)[number], Option[]> = {
    same: [],
    'begins so': [],
    other: [],
  };
  let count = 0;
  for (const { project, folders } of lists) {
    await nextTurn();
    for (const folder of folders) {
      if (!isFound(`${project.text} ${folder.text}`)) continue;
      count += 1;
      const group = near[nearnessOf(folder, project, wanted)];
      if (group.length < MAX_OPTIONS) group.push(optionOf(folder, project));
    }
  }
  const complete = lists.every((one) => one.complete);
  const room = MAX_OPTIONS - news.length;
  const isAll = complete && unread === 0 && count <= room;
  const found = NEARNESS.flatMap((one) => near[one]).slice(0, isAll ? room : room - 1);
  const left = count - found.length;
  const more = isAll ? [] : [moreOption({ left, unread })];
  return typed.trim() ? [...found, ...more, ...news] : [...news, ...found, ...more];
}

function nearnessOf(
  { own, whole, id }: SearchedFolder,
  project: SearchedProject,
  wanted: string,
): (typeof NEARNESS)[number] {
  if (wanted === '') return 'other';
  if (own === wanted || whole === wanted || `${id}` === wanted) return 'same';
  if (`${project.own} ${whole}` === wanted) return 'same';
  return own.startsWith(wanted) ? 'begins so' : 'other';
}

function optionOf({ id, path, name }: SearchedFolder, project: SearchedProject): Option {
  const folder = { projectId: project.id, folderId: id, projectTitle: projectName(project) };
  return folderOption({ ...folder, folderName: [...path, name].join(' › ') });
}

/** The last option where some are left out: of folders that were found, or of projects not read. */
export function moreOption({ left, unread }: { left: number; unread: number }): Option {
  if (left > 0) return option(`… and ${shownNumber(left)} more. Type more to find them.`, NOT_YET);
  const where =
    unread > 0
      ? `To search ${counted(unread, 'more project')}, type the project’s name too.`
      : 'There may be more than I could read. Paste the folder’s address.';
  return option(where, NOT_YET);
}

interface NewFolders {
  typed: string;
  /** The name of a new folder if nothing was typed; null for none. */
  channelName: string | null;
  projects: readonly SearchedProject[];
  /** The project of the channel's folder; null for none. */
  own: number | null;
  lists: readonly SearchedList[];
}

/** In so few projects a new folder is offered if nobody said in which. */
const MAX_OFFERED = 5;

/**
 * Returns the options for a new folder with the typed name: in the project that was typed before it,
 * else in the channel's own, else in each of a few; of many, one that says how to type the project.
 * None where a top folder has that name.
 */
export function newFolders(given: NewFolders): Option[] {
  const { lists, typed } = given;
  const wanted = wantedFolders(given);
  if (wanted.length === 0 && typed.trim() !== '') return [howToMake(typed)];
  return wanted.flatMap(({ project, name: typed }) => {
    const name = cleanText(typed);
    const value = `new/${project.id}/${name}`;
    const there = lists.find((list) => list.project.id === project.id)?.folders ?? [];
    if (value.length > MAX_VALUE_LENGTH || !readChoice(value) || topFolder(there, name)) return [];
    return option(`New folder “${shownText(name, 30)}” in ${projectName(project, 25)}`, value);
  });
}

function howToMake(typed: string): Option {
  const [last = ''] = typed
    .split(/[/›>]/)
    .filter((name) => name.trim())
    .slice(-1);
  const name = shownText(last, 20);
  return option(`For a new folder “${name}”, type Project/${name}.`, NO_PROJECT);
}

function wantedFolders({ typed, channelName, projects, own }: NewFolders) {
  const [, before = '', after = ''] = /^([^/›>]*)[/›>]([^/›>]*)$/.exec(typed) ?? [];
  const title = folded(before);
  const [named, other] = projects.filter((project) => project.own === title);
  if (named && !other && before.trim()) return [{ project: named, name: after }];
  const name = typed.trim() || channelName;
  if (name === null) return [];
  const mine = projects.filter(({ id }) => id === own);
  const all = mine.length > 0 ? mine : projects;
  const isClear = all.length === 1 || (typed.trim() !== '' && all.length <= MAX_OFFERED);
  return isClear ? all.map((project) => ({ project, name })) : [];
}

// A path may be typed as it is shown, or with slashes.
function withoutSlashes(text: string): string {
  return text.replace(/[/›>]/g, ' ');
}

function folded(text: string): string {
  return searchForm(withoutSlashes(text)).trim().replace(/\s+/g, ' ');
}

const NO_OPTIONS = () => ({
  'not-yet': 'The list isn’t here yet. Type again in a moment.',
  'not-listed': `${Service()} doesn’t list its folders. Paste the address.`,
  'other-address': `That’s no folder’s address in ${service()}.`,
});

/** The option that says why there are none. */
export function noOptions(why: keyof ReturnType<typeof NO_OPTIONS>): Option[] {
  return [option(NO_OPTIONS()[why], NOT_YET)];
}

/**
 * Returns the folder of that name at the top of a project, in any case: on its first level, or on
 * the second when the first has only one folder, the project's own; null when there is none.
 */
export function topFolder<F extends ListedFolder & Partial<Searched>>(
  folders: readonly F[],
  name: string,
): F | null {
  const first = folders.filter(({ level }) => level === 1);
  const [root, other] = first;
  const top = root && !other ? folders.filter(({ parentId }) => parentId === root.id) : [];
  const sought = folded(name);
  const all = [...first, ...top];
  const same = all.find((folder) => folder.name === name);
  return same ?? all.find(({ name, own = folded(name) }) => own === sought) ?? null;
}
