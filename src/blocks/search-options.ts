import { nameMatcher, searchForm } from '../transfers/index.ts';
import {
  folderName,
  folderTree,
  type ListedFolder,
  type ListedProject,
  listedProjects,
  projectName,
} from './folder-list.ts';
import { MAX_OPTION_LENGTH, MAX_OPTIONS, type Option, option } from './layout.ts';
import { shownNumber, shownText } from './text.ts';

/** The value of the option that makes a folder. */
export const NEW_FOLDER = 'new';
/** The value of an option that stands for no folder and no project: not a number. */
const NOT_YET = 'none';

interface Listed<T> {
  records: readonly T[];
  /** Whether that is all. */
  complete: boolean;
  typed: string;
}

/** Returns the projects with all the words typed: nearest first, otherwise by name. */
export function projectOptions({ records, complete, typed }: Listed<ListedProject>): Option[] {
  const isFound = nameMatcher(typed);
  const found = listedProjects(records).filter(({ title, id }) =>
    isFound({ name: `${title} ${id}` }),
  );
  const sorted = nearestFirst(found, typed, ({ title, id }) => [title, `${id}`]);
  return fitted(sorted, { complete, room: MAX_OPTIONS }, projectOption);
}

export function projectOption(project: Pick<ListedProject, 'id' | 'title'>): Option {
  return option(projectName(project, MAX_OPTION_LENGTH), `${project.id}`);
}

interface FolderOptionsInput extends Listed<ListedFolder> {
  /** The name for a new folder; null when none can be created. */
  newName: string | null;
}

/**
 * Returns the folders with all the words typed in their own names or those of their parents:
 * nearest first, otherwise in tree order. An option for a new folder, unless a top folder already
 * has its name, comes first, or last when something was typed.
 */
export function folderOptions({ records, complete, typed, newName }: FolderOptionsInput): Option[] {
  // A path may be typed as it is shown, or with slashes.
  const isFound = nameMatcher(withoutSlashes(typed));
  const found = folderTree(records).filter(({ path, name, id }) =>
    isFound({ name: `${path.join(' ')} ${name} ${id}` }),
  );
  const sorted = nearestFirst(found, typed, ({ path, name, id }) => {
    return [name, [...path, name].join(' '), `${id}`];
  });
  const isNew = newName !== null && !topFolder(records, newName);
  const first = isNew ? [option(`New folder “${shownText(newName, 55)}”`, NEW_FOLDER)] : [];
  const fits = { complete, room: MAX_OPTIONS - first.length };
  const folders = fitted(sorted, fits, ({ path, name, id }) =>
    option(shownPath([...path, name]), `${id}`),
  );
  return typed.trim() ? [...folders, ...first] : [...first, ...folders];
}

function withoutSlashes(text: string): string {
  return text.replace(/[/›>]/g, ' ');
}

/**
 * Sorts items: first those with one of their `names` exactly as typed, then those whose own name
 * (the first) begins with it, then the others; the order stays within each group.
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

/** Returns at most `room` options; unless these are all, the last one says that there are more. */
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
  const names = path.map((name) => folderName(name));
  const whole = names.join(' › ');
  const last = names.at(-1) ?? '';
  if (whole.length <= MAX_OPTION_LENGTH) return whole;
  return last.length + 4 > MAX_OPTION_LENGTH ? last : `… › ${last}`;
}

const NO_OPTIONS = {
  'not-yet': 'The list isn’t here yet. Type again in a moment.',
  'not-listed': 'The file service doesn’t list them. Give the address below.',
};

/** The option that says why there are none: not loaded yet, or not listed by the account. */
export function noOptions(why: keyof typeof NO_OPTIONS): Option[] {
  return [option(NO_OPTIONS[why], NOT_YET)];
}

/**
 * Returns the folder of that name at the top of a project: on its first level, or on the second
 * when the first has only one folder, the project's own; null when there is none.
 */
export function topFolder<F extends ListedFolder>(folders: readonly F[], name: string): F | null {
  const first = folders.filter(({ level }) => level === 1);
  const [root, other] = first;
  const top = root && !other ? folders.filter(({ parentId }) => parentId === root.id) : [];
  return [...first, ...top].find((folder) => folder.name === name) ?? null;
}
