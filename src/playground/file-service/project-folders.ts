import { requireFolder, requireProject, requireWritable } from './access.ts';
import type { Folder } from './account.ts';
import { type Answer, jsonAnswer, noContent } from './answer.ts';
import type { Call } from './call.ts';
import { readJsonBody } from './read-json-body.ts';
import { folderJson, personJson, projectJson } from './record-json.ts';
import { Refusal } from './refusal.ts';

/** The projects that the key's user may see (service interface, appendix). */
export function listProjects({ person, store }: Call): Answer {
  const people = store.people();
  const seen = store.projects().filter(({ id }) => person.projects.includes(id));
  return jsonAnswer(
    200,
    seen.map((project) => projectJson(project, people)),
  );
}

/** Service interface, appendix. */
export function listPeople({ store }: Call): Answer {
  return jsonAnswer(200, store.people().map(personJson));
}

/** Folders and subfolders of all levels (service interface, appendix). */
export function listFolders(call: Call): Answer {
  const { id } = requireProject(call, call.ids.projectId);
  const records = call.store.folders(id).map((folder) => describe(call, folder));
  return jsonAnswer(200, records);
}

/** Makes a folder at the top of the project (service interface, appendix). */
export async function createFolder(call: Call): Promise<Answer> {
  const name = await readName(call);
  const { id } = requireProject(call, call.ids.projectId);
  return jsonAnswer(201, describe(call, call.store.addFolder(id, null, name)));
}

/** Service interface, appendix. */
export async function renameFolder(call: Call): Promise<Answer> {
  const { ids, store } = call;
  const name = await readName(call);
  const folder = requireFolder(call, ids.projectId, ids.folderId);
  requireWritable(call, folder);
  return jsonAnswer(200, describe(call, store.renameFolder(folder.id, name) ?? folder));
}

/** Deletes the subfolders and all their files too (service interface, appendix). */
export function deleteFolder(call: Call): Answer {
  const folder = requireFolder(call, call.ids.projectId, call.ids.folderId);
  requireWritable(call, folder);
  call.store.deleteFolder(folder.id);
  return noContent;
}

function describe({ store }: Call, folder: Folder) {
  return folderJson(folder, store.pathOf(folder).length);
}

async function readName({ request }: Call): Promise<string> {
  const { name } = await readJsonBody(request);
  if (typeof name !== 'string' || name.trim() === '') {
    throw new Refusal(400, '"name" must be a text.');
  }
  return name.trim();
}
