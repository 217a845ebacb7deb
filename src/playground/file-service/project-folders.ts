import type { Folder, Project } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { inListOrder, listed, orUnknownParent, pageOf } from './lists.ts';
import { type FolderJson, folderJson, personJson, projectJson } from './records.ts';
import { jsonBody, type RequestContext } from './request-context.ts';
import { HttpError, jsonResponse, noContent, type ResponseData } from './responses.ts';
import { requireFolder, requireProject, requireWritable } from './validation.ts';

/** Lists the projects that the key's user may see (service interface, appendix). */
export function listProjects(context: RequestContext): ResponseData {
  const projects = listed(context, 'projects', visibleProjects(context));
  const records = projects.map((project) => projectJson(project, context));
  return jsonResponse(200, records);
}

/** Lists the account's people (service interface, appendix). */
export function listPeople(context: RequestContext): ResponseData {
  return jsonResponse(200, listed(context, 'people', context.store.people()).map(personJson));
}

/** Lists folders of all levels (service interface, appendix, and appendix 2, R4 and R5). */
export function listFolders(context: RequestContext): ResponseData {
  const { ids, store } = context;
  const all = () => visibleProjects(context).flatMap(({ id }) => store.folders(id));
  const folders = orUnknownParent<unknown>(
    context,
    () => foldersOf(context, requireProject(context, ids.projectId)),
    () => flatList(context, all()),
  );
  return jsonResponse(200, folders);
}

/** Creates a top folder in the project (service interface, appendix). */
export async function createFolder(context: RequestContext): Promise<ResponseData> {
  const name = await readName(context);
  const { id } = requireProject(context, context.ids.projectId);
  return jsonResponse(201, folderJson(context.store.addFolder(id, null, name), context));
}

/** Renames a folder (service interface, appendix). */
export async function renameFolder(context: RequestContext): Promise<ResponseData> {
  const { ids, store } = context;
  const name = await readName(context);
  const folder = requireFolder(context, ids.projectId, ids.folderId);
  requireWritable(context, folder);
  return jsonResponse(200, folderJson(store.renameFolder(folder.id, name) ?? folder, context));
}

/** Deletes a folder, its subfolders and all their files (service interface, appendix). */
export function deleteFolder(context: RequestContext): ResponseData {
  const folder = requireFolder(context, context.ids.projectId, context.ids.folderId);
  requireWritable(context, folder);
  context.store.deleteFolder(folder.id);
  return noContent;
}

function visibleProjects({ person, store }: RequestContext): Project[] {
  return store.projects().filter(({ id }) => person.projects.includes(id));
}

function foldersOf(context: RequestContext, project: Project): unknown {
  const { behaviour, store } = context;
  if (behaviour.folderList === 'flat') return flatList(context, store.folders(project.id));
  const isOneTree = behaviour.folderList === 'one-object';
  const folders = isOneTree ? inOneTree(store, project) : store.folders(project.id);
  const trees = folderTrees(inListOrder(context, 'folders', folders), context);
  if (!isOneTree) return pageOf(context, 'folders', trees);
  // A page past the end is an empty list, also where the folders are one tree.
  const [root] = pageOf(context, 'folders', trees);
  return root ? { ...root, parent_id: null } : [];
}

function flatList(context: RequestContext, folders: Folder[]) {
  return listed(context, 'folders', folders).map((folder) => folderJson(folder, context));
}

async function readName(context: RequestContext): Promise<string> {
  const { name } = await jsonBody(context);
  if (typeof name !== 'string' || name.trim() === '') {
    throw new HttpError(400, '"name" must be a text.');
  }
  return name.trim();
}

/** A folder with its subfolders nested in it. */
interface FolderTree extends FolderJson {
  children: FolderTree[];
}

/**
 * Returns the top folders with their subfolders nested in them (service interface, appendix 2, R4).
 * Siblings keep the order of `folders`.
 */
function folderTrees(folders: readonly Folder[], context: RequestContext): FolderTree[] {
  const children = Map.groupBy(folders, ({ parentId }) => parentId);
  const under = (parentId: number | null, level: number): FolderTree[] =>
    (children.get(parentId) ?? []).map((folder) => ({
      ...folderJson(folder, context, level),
      children: under(folder.id, level + 1),
    }));
  return under(null, 1);
}

/**
 * Returns a project's folders as one tree: below the home folder's top folder are all the others
 * (service interface, appendix 2, R4).
 */
export function inOneTree(store: AccountStore, { id, homeFolderId }: Project): Folder[] {
  const folders = store.folders(id);
  const home = store.folder(homeFolderId);
  const root = (home && store.pathOf(home).at(-1)) ?? folders[0];
  return folders.map((folder) => {
    const isOtherTop = folder.parentId === null && folder.id !== root?.id;
    return root && isOtherTop ? { ...folder, parentId: root.id } : folder;
  });
}
