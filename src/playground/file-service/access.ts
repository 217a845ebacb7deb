import type { Folder, Project, StoredFile } from './account.ts';
import type { Call } from './call.ts';
import { Refusal } from './refusal.ts';

type Asker = Pick<Call, 'person' | 'store'>;

/** Returns the project. Throws 404 if there is none, 403 if the key's user may not see it. */
export function requireProject({ person, store }: Asker, projectId: number): Project {
  const project = store.project(projectId);
  if (!project) throw new Refusal(404, 'There is no such project.');
  if (!person.projects.includes(projectId)) {
    throw new Refusal(403, 'You have no access to this project.');
  }
  return project;
}

/** Returns the project's folder; throws as `requireProject` does. */
export function requireFolder(asker: Asker, projectId: number, folderId: number): Folder {
  requireProject(asker, projectId);
  const folder = asker.store.folder(folderId);
  if (folder?.projectId !== projectId) {
    throw new Refusal(404, 'There is no such folder in this project.');
  }
  return folder;
}

/** Throws 403 if the key's user may only read this folder or one above it. */
export function requireWritable({ person, store }: Asker, folder: Folder): void {
  if (store.pathOf(folder).some(({ id }) => person.readOnlyFolders.includes(id))) {
    throw new Refusal(403, 'You may not change anything in this folder.');
  }
}

/** Returns the folder's file. Throws 404 if there is none. */
export function requireFile({ store }: Asker, folder: Folder, fileId: number): StoredFile {
  const file = store.file(fileId);
  if (file?.folderId !== folder.id) {
    throw new Refusal(404, 'There is no such file in this folder.');
  }
  return file;
}

/**
 * Returns `own()`. If that throws a 404 refusal, throws it too or returns an empty list or `all()`,
 * as the account does for an unknown folder or project (service interface, appendix 2, R5).
 */
export function ofPlace<T>(
  { behaviour }: Pick<Call, 'behaviour'>,
  own: () => T,
  all: () => T,
): T | never[] {
  try {
    return own();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    if (behaviour.unknownPlace === 'refused') throw error;
    return behaviour.unknownPlace === 'empty-list' ? [] : all();
  }
}
