import type { Folder, Project, StoredFile } from './account.ts';
import type { Call } from './call.ts';
import { Refusal } from './refusal.ts';

type Asker = Pick<Call, 'person' | 'store'>;

/** The project, when it is there (404) and the key's user may see it (403). */
export function requireProject({ person, store }: Asker, projectId: number): Project {
  const project = store.project(projectId);
  if (!project) throw new Refusal(404, 'There is no such project.');
  if (!person.projects.includes(projectId)) {
    throw new Refusal(403, 'You have no access to this project.');
  }
  return project;
}

/** The project's folder, under the same rules. */
export function requireFolder(asker: Asker, projectId: number, folderId: number): Folder {
  requireProject(asker, projectId);
  const folder = asker.store.folder(folderId);
  if (folder?.projectId !== projectId) {
    throw new Refusal(404, 'There is no such folder in this project.');
  }
  return folder;
}

/** Refuses with 403 where the key's user may only read: in a folder, or under one. */
export function requireWritable({ person, store }: Asker, folder: Folder): void {
  if (store.pathOf(folder).some(({ id }) => person.readOnlyFolders.includes(id))) {
    throw new Refusal(403, 'You may not change anything in this folder.');
  }
}

/** The folder's file (404). */
export function requireFile({ store }: Asker, folder: Folder, fileId: number): StoredFile {
  const file = store.file(fileId);
  if (file?.folderId !== folder.id) {
    throw new Refusal(404, 'There is no such file in this folder.');
  }
  return file;
}
