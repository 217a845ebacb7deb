import { oncePer } from '../../base/index.ts';
import {
  type Destination,
  decodeHtml,
  emojiAsSigns,
  type FolderRef,
  folderNumber,
  isQuoted,
  nameMatcher,
  searchText,
  unquoted,
  withoutInvisible,
} from '../../core/index.ts';
import {
  type AccountList,
  type CachedList,
  type CopyOptions,
  type Folder,
  isListed,
  listAgeMs,
  type NameCache,
  type Project,
  ServiceError,
  unlessCode,
} from '../../service/index.ts';
import type { Asked, Handler } from '../kit/answer.ts';
import { inTurns } from '../kit/in-turns.ts';
import { nearest } from '../kit/nearest.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { MAX_ADDRESS_LENGTH } from '../kit/text.ts';
import type { LinkRefusal } from './link-refusals.ts';

/** Where a folder's name is looked up: the account's lists, and the channel's own project. */
interface FolderLookup {
  /** Reads a list of the account, fresh or cached; null if the account does not offer it. */
  listProjects(): Promise<AccountList<Project> | null>;
  listFolders(projectId: number): Promise<AccountList<Folder> | null>;
  accountUrl: string;
  /** The project of the channel's folder, searched first; null for none. */
  projectId: number | null;
}

/** A folder that a person named, or why it is not clear which one. */
type ResolvedFolder = { destination: Destination; isKnown: boolean } | { refusal: LinkRefusal };

/** Why a folder cannot be used, and the folder as text for people. */
export interface Unusable {
  reason: LinkRefusal;
  typed: string;
  /** See LinkAsker. */
  folder?: FolderRef;
  /** See LinkAsker. */
  nearest?: string | null;
}

/**
 * Resolves with the folder that a person typed or chose, or why no file can be filed into it. If the
 * cached lists do not have it, reads them again before it refuses.
 */
export const findUsable: Handler<string, FolderRef | Unusable> = async (asked, typed, context) => {
  const { names, accountUrl } = context;
  const projectId = (await context.findDestination(asked))?.projectId ?? null;
  const resolve = (maxAgeMs: number) =>
    resolveFolder(typed, { accountUrl, projectId, ...listsOf(asked, names, maxAgeMs) });
  const known = await resolve(listAgeMs(context));
  const found = 'refusal' in known ? await resolve(0) : known;
  if ('refusal' in found) {
    const reason = found.refusal;
    const lists = listsOf(asked, names, listAgeMs(context));
    return { reason, typed, nearest: isMissing(found) ? await nearestTo(typed, lists) : null };
  }
  const { destination, isKnown } = found;
  const reason = await tryFolder(asked, { ...destination, isKnown }, context);
  const url = isAddress(typed) ? typed : null;
  const folder = await context.names.nameFolder({ ...destination, url });
  return reason ? { reason, typed: folderNumber(destination), folder } : folder;
};

/** The longest name that may be a typo: comparing longer ones takes long. */
const MAX_TYPO_LENGTH = 60;

// Returns the folder, with its project, whose name was probably meant; null if none is nearly that.
async function nearestTo(
  typed: string,
  lists: Pick<FolderLookup, 'listProjects' | 'listFolders'>,
): Promise<string | null> {
  const name = folded(typed.split(BETWEEN_NAMES).at(-1) ?? '');
  const projects = (await lists.listProjects())?.records.filter(({ archived }) => !archived) ?? [];
  if (name.length < 4 || name.length > MAX_TYPO_LENGTH || projects.length > MAX_PROJECTS)
    return null;
  for (const { id, title } of projects) {
    const folders = await foldedNames((await lists.listFolders(id))?.records ?? []);
    const meant = nearest(
      name,
      folders.map(({ text }) => text),
    );
    const found = folders.find(({ text }) => text === meant);
    if (found) return `${title}/${found.folder.name}`;
  }
  return null;
}

/**
 * Resolves with the project that a person typed: by title, by number, or by words that only its
 * title has; null if it is not clear.
 */
export const findTypedProject: Handler<string, number | null> = async (asked, typed, context) => {
  const copies = listsOf(asked, context.names, listAgeMs(context));
  const segment = readSegment(typed);
  const found = await findProject(segment, copies);
  if (typeof found === 'number') return found;
  // A number means the project that has it, not one whose title happens to contain its digits.
  if (segment.number !== null || !isMissing(found)) return null;
  const isFound = nameMatcher(typed);
  const titles = await titlesToSearch((await copies.listProjects())?.records ?? []);
  const [one, another] = titles.filter(({ text }) => isFound(text));
  return one && !another ? one.id : null;
};

const titlesToSearch = oncePer((projects: readonly Project[]) =>
  inTurns(projects, ({ id, title }) => ({ id, text: searchText(title) })),
);

// Cached lists of at most this age, in milliseconds; 0 reads them again. A malformed response counts
// as a list that the account does not offer.
function listsOf(asked: Asked, names: NameCache, maxAgeMs = 0) {
  const read = async <T>(list: (call: CopyOptions) => Promise<CachedList<T>>) => {
    const cached = list({ ...asked.call, maxAgeMs });
    return (await unlessCode(cached, ['SERVICE_BAD_ANSWER']))?.list ?? null;
  };
  return {
    listProjects: () => read(names.projects),
    listFolders: (projectId: number) => read((call) => names.folders(projectId, call)),
  };
}

/**
 * Returns the reason why no file can be filed into a folder; null if files can be. A folder that
 * cannot be listed cannot be filed into. A list is no proof that the folder exists: some accounts
 * list a missing folder as empty, so its project is checked too.
 */
export async function tryFolder(
  asked: Asked,
  folder: Destination & { isKnown: boolean },
  { service, names }: SurfaceContext,
): Promise<Extract<LinkRefusal, 'no-such-folder' | 'forbidden'> | null> {
  try {
    await service.peekFiles(folder, asked.call);
    if (folder.isKnown) return null;
    const projects = await listsOf(asked, names).listProjects();
    return isListed(projects, folder.projectId) === false ? 'no-such-folder' : null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'SERVICE_FORBIDDEN') return 'forbidden';
    if (error.code === 'SERVICE_NOT_FOUND') return 'no-such-folder';
    throw error;
  }
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

const BETWEEN_NAMES = /[/›<>]/;

/**
 * Finds the folder that a person typed or pasted: `12/345`; an address of the account with both
 * numbers; or, if the account lists them, names: project and folder, a path of folders, or only a
 * folder's name. Digits are a number if the account lists it, else a name, and in quotation marks
 * always a name. Refuses a number only if the account lists all its folders without it. A `›`, as
 * in our own texts, and a `>` stand for `/`; the brackets of `<project>/<folder>`, as in our help,
 * may be typed too.
 */
export async function resolveFolder(target: string, from: FolderLookup): Promise<ResolvedFolder> {
  if (target.length > MAX_ADDRESS_LENGTH) return { refusal: 'too-long' };
  const text = unwrapped(target);
  if (isAddress(text)) return fromAddress(text, from);
  const segments = text.replace(/^#/, '').split(BETWEEN_NAMES).map(readSegment);
  const [first, ...rest] = segments.filter(({ name }) => name !== '');
  if (first === undefined) return { refusal: 'unreadable-target' };
  return rest.length === 0 ? findByName(first, from) : findInProject(first, rest, from);
}

// Slack may put an address in brackets.
function unwrapped(typed: string): string {
  return typed.trim().replace(/^<([^|]*)(\|.*)?>$/, '$1');
}

/** A part of what was typed; `number`: null unless it may be a number. */
interface Segment {
  name: string;
  number: number | null;
}

function readSegment(text: string): Segment {
  const name = unquoted(text);
  return { name, number: !isQuoted(text) && /^\d{1,15}$/.test(name) ? Number(name) : null };
}

async function fromAddress(text: string, from: FolderLookup): Promise<ResolvedFolder> {
  const folder = folderIn(text, from.accountUrl);
  if (!folder) return { refusal: 'other-address' };
  if ('refusal' in folder) return folder;
  // An address holds no names.
  return findFolder(folder.projectId, [{ name: '', number: folder.folderId }], from);
}

/** Returns the folder of an address; null for one of another account. */
function folderIn(text: string, accountUrl: string): Destination | { refusal: LinkRefusal } | null {
  const numbers = numbersIn(text, accountUrl);
  if (!numbers) return null;
  const [projectId, folderId, more] = numbers;
  const isClear = projectId !== undefined && folderId !== undefined && more === undefined;
  return isClear ? { projectId, folderId } : { refusal: 'unreadable-target' };
}

/**
 * Reads a folder from its numbers, `12/345`, or its address, which it returns too; null for an address
 * that is not one of the account's folders, and undefined for other text.
 */
export function readFolderText(
  typed: string,
  accountUrl: string,
): (Destination & { url: string | null }) | null | undefined {
  if (typed.length > MAX_ADDRESS_LENGTH) return undefined;
  const text = unwrapped(typed);
  if (!isAddress(text)) {
    const [, projectId, folderId] = /^([1-9]\d{0,14})\/([1-9]\d{0,14})$/.exec(text) ?? [];
    return folderId
      ? { projectId: Number(projectId), folderId: Number(folderId), url: null }
      : undefined;
  }
  const folder = folderIn(text, accountUrl);
  return folder && !('refusal' in folder) ? { ...folder, url: text } : null;
}

/** Returns the numbers in a folder's address; null for an address of another account. */
function numbersIn(text: string, accountUrl: string): number[] | null {
  const url = URL.parse(text);
  if (url?.host !== URL.parse(accountUrl)?.host) return null;
  const tail = `${url?.pathname}${url?.search}${url?.hash}`;
  const [, project = ''] = /projects?\W{0,3}(\d{1,15})/i.exec(tail) ?? [];
  const [, folder = ''] = /folders?\W{0,3}(\d{1,15})/i.exec(tail) ?? [];
  const numbers = project && folder ? [project, folder] : (tail.match(/\d{1,15}/g) ?? []);
  return numbers.map(Number);
}

async function findInProject(
  project: Segment,
  path: Segment[],
  from: FolderLookup,
): Promise<ResolvedFolder> {
  const { number } = project;
  const numbered = number === null ? null : await findFolder(number, path, from);
  const isListed = numbered && !('refusal' in numbered) && numbered.isKnown;
  if (isListed && numbered.destination.folderId === path[0]?.number) return numbered;
  const projectId = await findProject(project, from);
  if (numbered && projectId === number) return numbered;
  if (typeof projectId === 'number') return findFolder(projectId, path, from);
  if (!isMissing(projectId)) return projectId;
  // If no project has that name, the text may be a path in the channel's own project.
  const { projectId: here } = from;
  const own = here === null ? null : await findFolder(here, [project, ...path], from);
  if (own && !('refusal' in own && own.refusal === 'no-such-folder')) return own;
  return numbered ?? projectId;
}

/** The most projects searched for a folder name: each takes a call to the service. */
const MAX_PROJECTS = 5;

async function findByName(name: Segment, from: FolderLookup): Promise<ResolvedFolder> {
  const { projectId: own } = from;
  if (name.number !== null) return { refusal: 'unreadable-target' };
  const here = own === null ? null : await findFolder(own, [name], from);
  if (here && !('refusal' in here && isMissing(here))) return here;
  const projects = await from.listProjects();
  if (!projects) return { refusal: 'no-names' };
  const isProject = (await projectsNamed(name.name, projects)).length > 0;
  const others = projects.records.filter(({ id, archived }) => id !== own && !archived);
  if (others.length > MAX_PROJECTS)
    return { refusal: isProject ? 'only-a-project' : 'which-project' };
  const found = await Promise.all(others.map(({ id }) => findFolder(id, [name], from)));
  const hits = found.filter((one) => !('refusal' in one));
  const refused = (refusal: LinkRefusal) =>
    [here, ...found].find((one) => one && 'refusal' in one && one.refusal === refusal);
  if (isProject && hits.length === 0) return { refusal: 'only-a-project' };
  const complete = projects.complete && !refused('not-all-read');
  return refused('ambiguous-name') ?? only(hits, complete);
}

function isMissing({ refusal }: { refusal: LinkRefusal }): boolean {
  return refusal === 'no-such-folder' || refusal === 'not-all-read';
}

async function findProject(
  { name, number }: Segment,
  lists: Pick<FolderLookup, 'listProjects'>,
): Promise<number | { refusal: LinkRefusal }> {
  const projects = await lists.listProjects();
  if (!projects) return number ?? { refusal: 'no-names' };
  if (number !== null && isListed(projects, number)) return number;
  const project = only(await projectsNamed(name, projects), projects.complete);
  return 'refusal' in project ? project : project.id;
}

async function findFolder(
  projectId: number,
  path: readonly Segment[],
  lists: Pick<FolderLookup, 'listFolders'>,
): Promise<ResolvedFolder> {
  const folders = await lists.listFolders(projectId);
  const number = path.length === 1 ? (path[0]?.number ?? null) : null;
  const listed = folders?.records.find(({ id }) => id === number);
  const found =
    listed ?? (folders ? await findPath(path, folders) : { refusal: 'no-names' as const });
  if (!('refusal' in found))
    return { destination: { projectId, folderId: found.id }, isKnown: true };
  if (number === null || found.refusal === 'ambiguous-name' || folders?.complete) return found;
  return { destination: { projectId, folderId: number }, isKnown: false };
}

async function findPath(path: readonly Segment[], { records, complete }: AccountList<Folder>) {
  const folders = await foldedNames(records);
  const all = new Map(folders.map((one) => [one.folder.id, one]));
  const { sought, shape } = comparison(path.map(({ name }) => name).join('/'));
  // A path may begin at any folder above this one, and a name may contain a slash. The list has no
  // cycles of parents.
  const isAt = ({ folder, text }: (typeof folders)[number], rest: string): boolean => {
    const name = shape(text);
    if (name === rest) return true;
    const parent = folder.parentId === null ? undefined : all.get(folder.parentId);
    const isInside = parent !== undefined && rest.endsWith(`/${name}`);
    return isInside && isAt(parent, rest.slice(0, -name.length - 1));
  };
  const found = folders.filter((one) => isAt(one, sought));
  return only(
    found.map(({ folder }) => folder),
    complete,
  );
}

async function projectsNamed(typed: string, { records }: AccountList<Project>): Promise<Project[]> {
  const { sought, shape } = comparison(typed);
  const titles = await foldedTitles(records);
  return titles.flatMap(({ project, text }) => (shape(text) === sought ? [project] : []));
}

// `complete`: whether the list that was searched is complete.
function only<T>([first, second]: readonly T[], complete: boolean): T | { refusal: LinkRefusal } {
  if (first === undefined) return { refusal: complete ? 'no-such-folder' : 'not-all-read' };
  return second === undefined ? first : { refusal: 'ambiguous-name' };
}

const foldedNames = oncePer((folders: readonly Folder[]) =>
  inTurns(folders, (folder) => ({ folder, text: folded(folder.name) })),
);
const foldedTitles = oncePer((projects: readonly Project[]) =>
  inTurns(projects, (project) => ({ project, text: folded(project.title) })),
);

/** Returns a typed name to compare with names, and the change of a folded name that it needs. */
function comparison(typed: string) {
  const name = folded(typed);
  const shape = emojiAsSigns(name) ?? ((text: string) => text);
  return { sought: shape(name), shape };
}

// The account's names have no HTML escapes, but text copied from its pages may have some. A name may
// hold what separates the names of a typed path, with spaces around it. It may end in an apostrophe,
// which is removed from a typed name as a quotation mark.
function folded(text: string): string {
  const parts = withoutInvisible(decodeHtml(text)).split(/\s?[/›]\s?/);
  const names = parts.map((part) => unquoted(part).normalize('NFKC').trim());
  return names.join('/').toLocaleLowerCase('en');
}
