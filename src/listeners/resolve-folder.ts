import type { LinkRefusal } from '../blocks/index.ts';
import {
  type AccountList,
  type CachedList,
  type Folder,
  type LookOptions,
  type NameCache,
  type Project,
  ServiceError,
} from '../service/index.ts';
import { type Destination, decodeHtml } from '../transfers/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { listAge, patientCall } from './personal-quota.ts';

/** What the account lists, freshly or from a copy; null where it lists nothing. */
interface FolderLists {
  listProjects(): Promise<AccountList<Project> | null>;
  listFolders(projectId: number): Promise<AccountList<Folder> | null>;
}

/** The same, and from where somebody asks for a folder. */
interface Vantage extends FolderLists {
  accountUrl: string;
  /** The project of the channel's folder: looked into first; null for none. */
  projectId: number | null;
}

/** A folder that somebody named; `isKnown`: the account lists it. */
export interface KnownFolder {
  destination: Destination;
  name: string | null;
  isKnown: boolean;
}

export type ResolvedFolder = KnownFolder | { refusal: LinkRefusal };

/**
 * The folder that somebody typed or chose. What the copy does not know yet may be there: the account is
 * asked anew before anybody is refused.
 */
export async function findTyped(
  asked: Asked,
  typed: string,
  { names, isBusy, accountUrl, findDestination }: ListenerContext,
): Promise<ResolvedFolder> {
  const projectId = (await findDestination(asked))?.projectId ?? null;
  const from = { accountUrl, projectId };
  const copies = listsOf(asked, names, listAge({ isBusy }).wanted);
  const known = await resolveFolder(typed, { ...from, ...copies });
  return 'refusal' in known ? resolveFolder(typed, { ...from, ...listsOf(asked, names) }) : known;
}

// As old as that, in milliseconds, or read anew.
function listsOf(asked: Asked, names: NameCache, maxAgeMs = 0): FolderLists {
  const read = async <T>(list: (call: LookOptions) => Promise<CachedList<T>>) =>
    (await patientCall(asked, (call) => list({ ...call, maxAgeMs }))).list;
  return {
    listProjects: () => read(names.projects),
    listFolders: (projectId) => read((call) => names.folders(projectId, call)),
  };
}

/**
 * Why nothing can be filed into a folder; null where it can. The folder is looked into: what cannot be
 * read cannot be filed into. That it can be does not prove that it is there: some accounts list a
 * folder that is not there as an empty one.
 */
export async function tryFolder(
  asked: Asked,
  folder: Destination & { isKnown: boolean },
  { service, names }: ListenerContext,
): Promise<Extract<LinkRefusal, 'no-such-folder' | 'forbidden'> | null> {
  try {
    await patientCall(asked, (call) => service.glimpseFiles(folder, call));
    const mayBe = folder.isKnown || (await mayBeProject(folder.projectId, listsOf(asked, names)));
    return mayBe ? null : 'no-such-folder';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'SERVICE_FORBIDDEN') return 'forbidden';
    if (error.code === 'SERVICE_NOT_FOUND') return 'no-such-folder';
    throw error;
  }
}

/** As long as the field of the form takes: a command may be longer by far. */
const MAX_TARGET_LENGTH = 500;

/**
 * Finds the folder that somebody typed or pasted: `12/345`, an address of the account with both
 * numbers, or, where the account lists them, names: project and folder, a path of folders, or a
 * folder's name alone. A number is refused only where the account lists all its folders and it is not
 * among them.
 */
export async function resolveFolder(target: string, from: Vantage): Promise<ResolvedFolder> {
  if (target.length > MAX_TARGET_LENGTH) return { refusal: 'unreadable-target' };
  const text = target.trim().replace(/^<([^|]*)(\|.*)?>$/, '$1');
  if (/^https?:/i.test(text)) return fromAddress(text, from);
  const segments = text.replace(/^#/, '').split('/').map(unquote).filter(Boolean);
  const [first, ...rest] = segments;
  if (first === undefined) return { refusal: 'unreadable-target' };
  return rest.length === 0 ? findByName(first, from) : findInProject(first, rest, from);
}

async function fromAddress(text: string, from: Vantage): Promise<ResolvedFolder> {
  const url = URL.parse(text);
  if (url?.host !== URL.parse(from.accountUrl)?.host) return { refusal: 'other-address' };
  const tail = `${url?.pathname}${url?.search}${url?.hash}`;
  const [, project = ''] = /projects?\W{0,3}(\d{1,15})/i.exec(tail) ?? [];
  const [, folder = ''] = /folders?\W{0,3}(\d{1,15})/i.exec(tail) ?? [];
  const [one = '', other = '', third] = tail.match(/\d{1,15}/g) ?? [];
  if (project && folder) return findFolder(Number(project), [folder], from);
  if (!one || !other || third !== undefined) return { refusal: 'unreadable-target' };
  return findFolder(Number(one), [other], from);
}

async function findInProject(
  project: string,
  path: string[],
  from: Vantage,
): Promise<ResolvedFolder> {
  const projectId = asNumber(project) ?? (await findProject(project, from));
  if (typeof projectId === 'number') return findFolder(projectId, path, from);
  if (from.projectId === null || !isMissing(projectId)) return projectId;
  // Where there is no such project it may be a path within the channel's own.
  const own = await findFolder(from.projectId, [project, ...path], from);
  return 'refusal' in own && own.refusal === 'no-such-folder' ? projectId : own;
}

/** In more projects than this a name alone is not looked for: each is a call to the service. */
const MAX_PROJECTS = 5;

async function findByName(name: string, from: Vantage): Promise<ResolvedFolder> {
  const { projectId: own } = from;
  if (asNumber(name) !== null) return { refusal: 'unreadable-target' };
  const here = own === null ? null : await findFolder(own, [name], from);
  if (here && !('refusal' in here && isMissing(here))) return here;
  const projects = await readable(from.listProjects());
  if (!projects) return { refusal: 'no-names' };
  const others = projects.records.filter(({ id, archived }) => id !== own && !archived);
  if (others.length > MAX_PROJECTS) return { refusal: 'which-project' };
  const found = await Promise.all(others.map(({ id }) => findFolder(id, [name], from)));
  const hits = found.filter((one) => !('refusal' in one));
  const refused = (refusal: LinkRefusal) =>
    [here, ...found].find((one) => one && 'refusal' in one && one.refusal === refusal);
  const complete = projects.complete && !refused('not-all-read');
  return refused('ambiguous-name') ?? only(hits, complete);
}

function isMissing({ refusal }: { refusal: LinkRefusal }): boolean {
  return refusal === 'no-such-folder' || refusal === 'not-all-read';
}

async function findProject(
  name: string,
  lists: Pick<FolderLists, 'listProjects'>,
): Promise<number | { refusal: LinkRefusal }> {
  const projects = await readable(lists.listProjects());
  if (!projects) return { refusal: 'no-names' };
  const named = projects.records.filter(({ title }) => sameName(title, name));
  const project = only(named, projects.complete);
  return 'refusal' in project ? project : project.id;
}

async function findFolder(
  projectId: number,
  path: readonly string[],
  lists: Pick<FolderLists, 'listFolders'>,
): Promise<ResolvedFolder> {
  const folders = await readable(lists.listFolders(projectId));
  const number = path.length === 1 ? asNumber(path[0] ?? '') : null;
  if (number !== null) {
    const known = folders?.records.find((folder) => folder.id === number);
    if (!known && folders?.complete) return { refusal: 'no-such-folder' };
    const destination = { projectId, folderId: number };
    return { destination, name: known?.name ?? null, isKnown: known !== undefined };
  }
  if (!folders) return { refusal: 'no-names' };
  const all = new Map(folders.records.map((one) => [one.id, one]));
  const named = folders.records.filter((one) => isAt(one, path, all));
  const folder = only(named, folders.complete);
  if ('refusal' in folder) return folder;
  return { destination: { projectId, folderId: folder.id }, name: folder.name, isKnown: true };
}

// A path may begin anywhere above the folder, and a name may have a slash in it.
function isAt(folder: Folder, path: readonly string[], all: ReadonlyMap<number, Folder>): boolean {
  const names: string[] = [];
  const seen = new Set<number>();
  let at: Folder | undefined = folder;
  while (at && !seen.has(at.id)) {
    seen.add(at.id);
    names.unshift(at.name);
    if (sameName(names.join('/'), path.join('/'))) return true;
    const { parentId }: Folder = at;
    at = parentId === null ? undefined : all.get(parentId);
  }
  return false;
}

/** Whether a project may exist: not where the account lists all its projects and it is none of them. */
export async function mayBeProject(
  projectId: number,
  lists: Pick<FolderLists, 'listProjects'>,
): Promise<boolean> {
  const projects = await readable(lists.listProjects());
  return !projects?.complete || projects.records.some(({ id }) => id === projectId);
}

// An answer that makes no sense says as little as none.
async function readable<T>(list: Promise<AccountList<T> | null>): Promise<AccountList<T> | null> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SERVICE_BAD_ANSWER') return null;
    throw error;
  }
}

// `complete`: whether these are taken from all that there are.
function only<T>([first, second]: readonly T[], complete: boolean): T | { refusal: LinkRefusal } {
  if (first === undefined) return { refusal: complete ? 'no-such-folder' : 'not-all-read' };
  return second === undefined ? first : { refusal: 'ambiguous-name' };
}

function asNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function unquote(text: string): string {
  return text
    .trim()
    .replace(/^["“”']|["“”']$/g, '')
    .trim();
}

// The account's names come without HTML escapes; what people copy from its pages may have them.
function sameName(a: string, b: string): boolean {
  const fold = (name: string) => decodeHtml(name).normalize('NFKC').trim().toLocaleLowerCase('en');
  return fold(a) === fold(b);
}
