import { nameMatcher, searchForm } from '../transfers/index.ts';
import {
  folderName,
  type ListedFolder,
  type ListedProject,
  type PlacedFolder,
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

/** A name as searches compare it. */
interface Searched {
  own: string;
  /** The own name after those of the folders that it is in. */
  whole: string;
  /** That and the number: the text in which words are sought. */
  text: string;
}

type SearchedProject = ListedProject & Searched;
type SearchedFolder = PlacedFolder & Searched;

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

/** Returns the projects with all the words typed: nearest first, otherwise in their order. */
export function projectOptions({ records, complete, typed }: Listed<SearchedProject>): Option[] {
  const sorted = foundIn(records, typed);
  return fitted(sorted, { complete, room: MAX_OPTIONS }, projectOption);
}

export function projectOption(project: Pick<ListedProject, 'id' | 'title'>): Option {
  return option(projectName(project, MAX_OPTION_LENGTH), `${project.id}`);
}

interface FolderOptionsInput extends Listed<SearchedFolder> {
  /** The name for a new folder; null when none can be created. */
  newName: string | null;
}

/**
 * Returns the folders with all the words typed in their own names or those of their parents:
 * nearest first, otherwise in their order. An option for a new folder, unless a top folder already
 * has its name, comes first, or last when something was typed.
 */
export function folderOptions({ records, complete, typed, newName }: FolderOptionsInput): Option[] {
  const sorted = foundIn(records, typed);
  const isNew = newName !== null && !topFolder(records, newName);
  const first = isNew ? [option(`New folder “${shownText(newName, 55)}”`, NEW_FOLDER)] : [];
  const fits = { complete, room: MAX_OPTIONS - first.length };
  const folders = fitted(sorted, fits, ({ path, name, id }) =>
    option(shownPath([...path, name]), `${id}`),
  );
  return typed.trim() ? [...folders, ...first] : [...first, ...folders];
}

// A path may be typed as it is shown, or with slashes.
function withoutSlashes(text: string): string {
  return text.replace(/[/›>]/g, ' ');
}

function folded(text: string): string {
  return searchForm(withoutSlashes(text)).trim().replace(/\s+/g, ' ');
}

/**
 * Returns the records with all the words typed: first those with their own or whole name or their
 * number exactly as typed, then those whose own name begins with it, then the others; the order
 * stays within each group.
 */
function foundIn<T extends Searched & { id: number }>(records: readonly T[], typed: string): T[] {
  const isFound = nameMatcher(withoutSlashes(typed));
  const wanted = folded(typed);
  const byNearness = Map.groupBy(
    records.filter(({ text }) => isFound(text)),
    ({ own, whole, id }) => {
      if (wanted === '') return 'other';
      if (own === wanted) return 'same';
      if (own.startsWith(wanted)) return 'begins so';
      return whole === wanted || `${id}` === wanted ? 'same' : 'other';
    },
  );
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
