import type { LinkRefusal } from '../blocks/index.ts';
import { type AccountList, type Folder, type Project, ServiceError } from '../service/index.ts';
import { type Destination, decodeHtml } from '../transfers/index.ts';

/** What the account lists, freshly or from a copy; null where it lists nothing. */
export interface AccountLists {
  listProjects(): Promise<AccountList<Project> | null>;
  listFolders(projectId: number): Promise<AccountList<Folder> | null>;
}

export type ResolvedFolder =
  /** `isKnown`: the account lists it. */
  { destination: Destination; name: string | null; isKnown: boolean } | { refusal: LinkRefusal };

/**
 * Finds the folder that `<project>/<folder>` names, by numbers or, where the account lists them, by
 * names. A number is refused only where the account lists all its folders and it is not among them.
 */
export async function resolveFolder(target: string, lists: AccountLists): Promise<ResolvedFolder> {
  const slash = target.indexOf('/');
  const projectText = unquote(target.slice(0, slash));
  const folderText = unquote(target.slice(slash + 1));
  if (slash < 1 || !projectText || !folderText) return { refusal: 'unreadable-target' };
  const projectId = asNumber(projectText) ?? (await findProject(projectText, lists));
  if (typeof projectId !== 'number') return projectId;
  return findFolder(projectId, folderText, lists);
}

async function findProject(
  name: string,
  lists: Pick<AccountLists, 'listProjects'>,
): Promise<number | { refusal: LinkRefusal }> {
  const projects = await readable(lists.listProjects());
  if (!projects) return { refusal: 'unreadable-target' };
  const found = projects.records.filter((project) => sameName(project.title, name));
  return only(found, (project) => project.id);
}

async function findFolder(
  projectId: number,
  text: string,
  lists: Pick<AccountLists, 'listFolders'>,
): Promise<ResolvedFolder> {
  const folders = await readable(lists.listFolders(projectId));
  const number = asNumber(text);
  if (number !== null) {
    const known = folders?.records.find((folder) => folder.id === number);
    if (!known && folders?.complete) return { refusal: 'no-such-folder' };
    const destination = { projectId, folderId: number };
    return { destination, name: known?.name ?? null, isKnown: known !== undefined };
  }
  if (!folders) return { refusal: 'unreadable-target' };
  const found = folders.records.filter((folder) => sameName(folder.name, text));
  const folder = only(found, (one) => one);
  if ('refusal' in folder) return folder;
  return { destination: { projectId, folderId: folder.id }, name: folder.name, isKnown: true };
}

/** Whether a project may exist: not where the account lists all its projects and it is none of them. */
export async function mayBeProject(
  projectId: number,
  lists: Pick<AccountLists, 'listProjects'>,
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

function only<T, R>(found: readonly T[], pick: (one: T) => R): R | { refusal: LinkRefusal } {
  const [first, second] = found;
  if (first === undefined) return { refusal: 'no-such-folder' };
  return second === undefined ? pick(first) : { refusal: 'ambiguous-name' };
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
