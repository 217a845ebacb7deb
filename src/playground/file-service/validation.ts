import type { IncomingMessage } from 'node:http';
import type { Folder, Person, Project, StoredFile } from './account.ts';
import type { Behaviour } from './behaviour.ts';
import type { RequestContext } from './request-context.ts';
import { HttpError } from './responses.ts';

/** `<AppName> (<EMAIL>)`. */
const USER_AGENT = /^\S.* \([^\s()@]+@[^\s()@]+\)$/;

/** The code for incomplete headers (service interface, appendix 2, R3). */
const HEADERS_INCOMPLETE = 1201;

export interface IncomingRequest {
  request: IncomingMessage;
  /** Whether its path is under the base address. */
  isUnderBase: boolean;
  /** The key's user, even if suspended; null if the key is unknown. */
  person: Person | null;
}

/**
 * Checks the headers, in this order: the User-Agent (service interface, section 5, rule 4), the key
 * (rules 1 and 2; the status is our own choice) and the type (rule 5, and appendix 2, R2, with the
 * status). Returns the key's user.
 */
export function requireHeaders(
  { request, isUnderBase, person }: IncomingRequest,
  { jsonHeader }: Behaviour,
): Person {
  const { headers, method } = request;
  if (isUnderBase && !USER_AGENT.test(headers['user-agent'] ?? '')) {
    const message = 'The User-Agent header must be "<AppName> (<EMAIL>)".';
    throw new HttpError(400, message, HEADERS_INCOMPLETE);
  }
  if (!person)
    throw new HttpError(401, 'The X-API-KEY header is missing, or its key is not known.');
  if (person.suspended) throw new HttpError(401, 'The user of this key is suspended.');
  const needsType = jsonHeader === 'always' || method === 'POST' || method === 'PUT';
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
  if (isUnderBase && needsType && !isJson)
    throw new HttpError(415, 'The Content-Type header must be application/json.');
  return person;
}

type Access = Pick<RequestContext, 'person' | 'store'>;

/** Returns the project. Throws 404 if there is none, 403 if the key's user may not see it. */
export function requireProject({ person, store }: Access, projectId: number): Project {
  const project = store.project(projectId);
  if (!project) throw new HttpError(404, 'There is no such project.');
  if (!person.projects.includes(projectId)) {
    throw new HttpError(403, 'You have no access to this project.');
  }
  return project;
}

/** Returns the project's folder; throws as `requireProject` does. */
export function requireFolder(
  access: Access & Pick<RequestContext, 'behaviour'>,
  projectId: number,
  folderId: number,
): Folder {
  const folder = access.store.folder(folderId);
  const isChecked = access.behaviour.projectNumbers === 'checked';
  requireProject(access, isChecked || !folder ? projectId : folder.projectId);
  if (!folder || (isChecked && folder.projectId !== projectId)) {
    throw new HttpError(404, 'There is no such folder in this project.');
  }
  return folder;
}

/** Throws 403 if the key's user may only read this folder or one above it. */
export function requireWritable({ person, store }: Access, folder: Folder): void {
  if (store.pathOf(folder).some(({ id }) => person.readOnlyFolders.includes(id))) {
    throw new HttpError(403, 'You may not change anything in this folder.');
  }
}

/** Returns the folder's file. Throws 404 if there is none. */
export function requireFile({ store }: Access, folder: Folder, fileId: number): StoredFile {
  const file = store.file(fileId);
  if (file?.folderId !== folder.id) {
    throw new HttpError(404, 'There is no such file in this folder.');
  }
  return file;
}
