import type { LinkRefusal } from '../blocks/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { Destination } from '../transfers/index.ts';
import { INTERACTIVE } from './show-files.ts';

export type ResolvedFolder =
  | { destination: Destination; name: string | null }
  | { refusal: LinkRefusal };

/** Finds the folder that `<project>/<folder>` names, by numbers or, where the account lists them, by names. */
export async function resolveFolder(
  target: string,
  service: Pick<ServiceClient, 'listProjects' | 'listFolders'>,
): Promise<ResolvedFolder> {
  const slash = target.indexOf('/');
  const projectText = unquote(target.slice(0, slash));
  const folderText = unquote(target.slice(slash + 1));
  if (slash < 1 || !projectText || !folderText) return { refusal: 'unreadable-target' };
  const projectId = asNumber(projectText) ?? (await findProject(projectText, service));
  if (typeof projectId !== 'number') return projectId;
  return findFolder(projectId, folderText, service);
}

async function findProject(
  name: string,
  service: Pick<ServiceClient, 'listProjects'>,
): Promise<number | { refusal: LinkRefusal }> {
  const projects = await service.listProjects(INTERACTIVE);
  if (!projects) return { refusal: 'unreadable-target' };
  const found = projects.filter((project) => sameName(project.title, name));
  return only(found, (project) => project.id);
}

async function findFolder(
  projectId: number,
  text: string,
  service: Pick<ServiceClient, 'listFolders'>,
): Promise<ResolvedFolder> {
  const folders = await service.listFolders(projectId, INTERACTIVE);
  const number = asNumber(text);
  if (number !== null) {
    const name = folders?.find((folder) => folder.id === number)?.name ?? null;
    return { destination: { projectId, folderId: number }, name };
  }
  if (!folders) return { refusal: 'unreadable-target' };
  const found = folders.filter((folder) => sameName(folder.name, text));
  const folder = only(found, (one) => one);
  if ('refusal' in folder) return folder;
  return { destination: { projectId, folderId: folder.id }, name: folder.name };
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

function sameName(a: string, b: string): boolean {
  const fold = (name: string) => name.normalize('NFKC').trim().toLocaleLowerCase('en');
  return fold(a) === fold(b);
}
