import type { types } from '@slack/bolt';
import { findWords } from '../transfers/index.ts';
import {
  folderTree,
  type ListedFolder,
  type ListedProject,
  listedProjects,
} from './folder-list.ts';
import { MOST_OPTIONS, plain } from './layout.ts';
import { cleanText, cut, shownName } from './text.ts';

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

/** The projects with all the words typed, by name. */
export function projectOptions(projects: readonly ListedProject[], typed: string): Option[] {
  const isFound = findWords(typed);
  return listedProjects(projects)
    .filter(({ title, id }) => isFound(`${title} ${id}`))
    .slice(0, MOST_OPTIONS)
    .map(({ title, id }) =>
      option(shownName(title, { unnamed: `Project ${id}`, max: LONGEST_OPTION }), `${id}`),
    );
}

export interface FolderOptionsInput {
  folders: readonly ListedFolder[];
  typed: string;
  /** What a new folder would be called; null where none can be named. */
  newName: string | null;
}

/**
 * The folders with all the words typed in their own names or in those of the folders around them, in
 * the order of the tree. Where no folder at the top has its name, there is a new one too: first, or
 * last where something is searched for.
 */
export function folderOptions({ folders, typed, newName }: FolderOptionsInput): Option[] {
  // A path may be typed as it is shown, or with slashes.
  const isFound = findWords(typed.replace(/[/›]/g, ' '));
  const found = folderTree(folders)
    .filter(({ path, name, id }) => isFound(`${path.join(' ')} ${name} ${id}`))
    .slice(0, MOST_OPTIONS)
    .map(({ path, name, id }) => option(shownPath([...path, name]), `${id}`));
  const isNew = newName !== null && !topFolder(folders, newName);
  const first = isNew ? [option(`New folder “${cut(cleanText(newName), 55)}”`, NEW_FOLDER)] : [];
  const room = found.slice(0, MOST_OPTIONS - first.length);
  return typed.trim() ? [...room, ...first] : [...first, ...room];
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
