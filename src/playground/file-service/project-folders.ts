import { ofPlace, requireFolder, requireProject, requireWritable } from './access.ts';
import type { Folder, Project } from './account.ts';
import { type Answer, jsonAnswer, noContent } from './answer.ts';
import type { Call } from './call.ts';
import { folderTrees, inOneTree } from './folder-tree.ts';
import { inListOrder, listed, pageOf } from './list-page.ts';
import { readJsonBody } from './read-json-body.ts';
import { folderJson, personJson, projectJson } from './record-json.ts';
import { Refusal } from './refusal.ts';

/** Lists the projects that the key's user may see (service interface, appendix). */
export function listProjects(call: Call): Answer {
  const records = listed(call, 'projects', seenProjects(call));
  return jsonAnswer(
    200,
    records.map((project) => projectJson(project, call)),
  );
}

/** Lists the account's people (service interface, appendix). */
export function listPeople(call: Call): Answer {
  return jsonAnswer(200, listed(call, 'people', call.store.people()).map(personJson));
}

/** Lists folders of all levels (service interface, appendix, and appendix 2, R4 and R5). */
export function listFolders(call: Call): Answer {
  const folders = ofPlace<unknown>(
    call,
    () => foldersOf(call, requireProject(call, call.ids.projectId)),
    () =>
      flat(
        call,
        seenProjects(call).flatMap(({ id }) => call.store.folders(id)),
      ),
  );
  return jsonAnswer(200, folders);
}

/** Creates a top folder in the project (service interface, appendix). */
export async function createFolder(call: Call): Promise<Answer> {
  const name = await readName(call);
  const { id } = requireProject(call, call.ids.projectId);
  return jsonAnswer(201, describe(call, call.store.addFolder(id, null, name)));
}

/** Renames a folder (service interface, appendix). */
export async function renameFolder(call: Call): Promise<Answer> {
  const { ids, store } = call;
  const name = await readName(call);
  const folder = requireFolder(call, ids.projectId, ids.folderId);
  requireWritable(call, folder);
  return jsonAnswer(200, describe(call, store.renameFolder(folder.id, name) ?? folder));
}

/** Deletes a folder, its subfolders and all their files (service interface, appendix). */
export function deleteFolder(call: Call): Answer {
  const folder = requireFolder(call, call.ids.projectId, call.ids.folderId);
  requireWritable(call, folder);
  call.store.deleteFolder(folder.id);
  return noContent;
}

function seenProjects({ person, store }: Call): Project[] {
  return store.projects().filter(({ id }) => person.projects.includes(id));
}

function foldersOf(call: Call, project: Project): unknown {
  const { behaviour, store } = call;
  if (behaviour.folderList === 'flat') return flat(call, store.folders(project.id));
  const isOneTree = behaviour.folderList === 'one-object';
  const folders = isOneTree ? inOneTree(store, project) : store.folders(project.id);
  const trees = folderTrees(inListOrder(call, 'folders', folders), behaviour);
  if (!isOneTree) return pageOf(call, 'folders', trees);
  // A page past the end is an empty list, also where the folders are one tree.
  const [root] = pageOf(call, 'folders', trees);
  return root ? { ...root, parent_id: null } : [];
}

function flat(call: Call, folders: Folder[]) {
  return listed(call, 'folders', folders).map((folder) => describe(call, folder));
}

function describe({ store, behaviour }: Call, folder: Folder) {
  return folderJson(folder, store.pathOf(folder).length, behaviour);
}

async function readName({ request }: Call): Promise<string> {
  const { name } = await readJsonBody(request);
  if (typeof name !== 'string' || name.trim() === '') {
    throw new Refusal(400, '"name" must be a text.');
  }
  return name.trim();
}
