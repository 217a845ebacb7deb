import type { types } from '@slack/bolt';
import { findWords, searchForm } from '../transfers/index.ts';
import {
  folderTree,
  type ListedFolder,
  type ListedProject,
  listedProjects,
} from './folder-list.ts';
import { MOST_OPTIONS, plain } from './layout.ts';
import { cleanText, cut, shownName, shownNumber } from './text.ts';

/** What a search field offers. */
export type Option = types.PlainTextOption;

const LONGEST_OPTION = 75;

/** The value of the option that makes a folder. */
export const NEW_FOLDER = 'new';
/** The value of an option that stands for no folder and no project. */
export const NOT_YET = 'none';

/** One thing to choose. */
export function option(text: string, value: string): Option {
  return { text: plain(text, LONGEST_OPTION), value };
}

/** What there is to choose from. */
interface Listed<T> {
  list: readonly T[];
  /** Whether that is all. */
  complete: boolean;
  typed: string;
}

/** The projects with all the words typed: see fitted; the others by name. */
export function projectOptions({ list, complete, typed }: Listed<ListedProject>): Option[] {
  const isFound = findWords(typed);
  const found = listedProjects(list).filter(({ title, id }) => isFound(`${title} ${id}`));
  const sorted = nearestFirst(found, typed, ({ title, id }) => [title, `${id}`]);
  return fitted(sorted, { complete, room: MOST_OPTIONS }, ({ title, id }) =>
    option(shownName(title, { unnamed: `Project ${id}`, max: LONGEST_OPTION }), `${id}`),
  );
}

export interface FolderOptionsInput extends Listed<ListedFolder> {
  /** What a new folder would be called; null where none can be named. */
  newName: string | null;
}

/**
 * The folders with all the words typed in their own names or in those of the folders around them: see
 * fitted; the others in the order of the tree. Where no folder at the top has its name, there is a new
 * one too: first, or last where something is searched for.
 */
export function folderOptions({ list, complete, typed, newName }: FolderOptionsInput): Option[] {
  // A path may be typed as it is shown, or with slashes.
  const isFound = findWords(withoutSlashes(typed));
  const found = folderTree(list).filter(({ path, name, id }) =>
    isFound(`${path.join(' ')} ${name} ${id}`),
  );
  const sorted = nearestFirst(found, typed, ({ path, name, id }) => {
    return [name, [...path, name].join(' '), `${id}`];
  });
  const isNew = newName !== null && !topFolder(list, newName);
  const first = isNew ? [option(`New folder “${cut(cleanText(newName), 55)}”`, NEW_FOLDER)] : [];
  const fits = { complete, room: MOST_OPTIONS - first.length };
  const folders = fitted(sorted, fits, ({ path, name, id }) =>
    option(shownPath([...path, name]), `${id}`),
  );
  return typed.trim() ? [...folders, ...first] : [...first, ...folders];
}

function withoutSlashes(text: string): string {
  return text.replace(/[/›]/g, ' ');
}

/**
 * Those that are called just what was typed come first, then those whose own name, the first of their
 * `names`, begins so; among these the order stays.
 */
function nearestFirst<T>(
  found: readonly T[],
  typed: string,
  names: (one: T) => readonly string[],
): T[] {
  const form = (text: string) => searchForm(withoutSlashes(text)).trim().replace(/\s+/g, ' ');
  const wanted = form(typed);
  if (wanted === '') return [...found];
  const byNearness = Map.groupBy(found, (one) => {
    const [own = '', ...others] = names(one);
    const name = form(own);
    if (name === wanted) return 'same';
    if (name.startsWith(wanted)) return 'begins so';
    return others.some((other) => form(other) === wanted) ? 'same' : 'other';
  });
  return (['same', 'begins so', 'other'] as const).flatMap((near) => byNearness.get(near) ?? []);
}

const MAY_BE_MORE = 'There may be more than I could read. Give the address below.';

/** The options of as many as there is room for; in the place of a last one, what is said of the rest. */
function fitted<T>(
  found: readonly T[],
  { complete, room }: { complete: boolean; room: number },
  toOption: (one: T) => Option,
): Option[] {
  const isAll = complete && found.length <= room;
  const shown = found.slice(0, isAll ? room : room - 1);
  const left = found.length - shown.length;
  const more = left > 0 ? `… and ${shownNumber(left)} more. Type more to find them.` : MAY_BE_MORE;
  return [...shown.map(toOption), ...(isAll ? [] : [option(more, NOT_YET)])];
}

// The folder's own name stays whole, as far as there is room for it.
function shownPath(path: readonly string[]): string {
  const names = path.map((name) => shownName(name, { unnamed: 'unnamed folder' }));
  const whole = names.join(' › ');
  const last = names.at(-1) ?? '';
  if (whole.length <= LONGEST_OPTION) return whole;
  return last.length + 4 > LONGEST_OPTION ? last : `… › ${last}`;
}

const NO_OPTIONS = {
  'not-yet': 'The list isn’t here yet. Type again in a moment.',
  'not-listed': 'The file service doesn’t list them. Give the address below.',
};

/** What is said in the place of options that are not here yet, or that the account does not tell. */
export function noOptions(why: keyof typeof NO_OPTIONS): Option[] {
  return [option(NO_OPTIONS[why], NOT_YET)];
}

/**
 * The folder of that name at the top of a project: at its first level, or at the second where the
 * first has one folder alone, the project's own.
 */
export function topFolder<F extends ListedFolder>(folders: readonly F[], name: string): F | null {
  const first = folders.filter(({ level }) => level === 1);
  const [root, other] = first;
  const top = root && !other ? folders.filter(({ parentId }) => parentId === root.id) : [];
  return [...first, ...top].find((folder) => folder.name === name) ?? null;
}
