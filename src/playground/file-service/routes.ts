import { downloadFile, uploadFile } from './file-bytes.ts';
import { createFiles, deleteFile, listFiles } from './folder-files.ts';
import {
  createFolder,
  deleteFolder,
  listFolders,
  listPeople,
  listProjects,
  renameFolder,
} from './project-folders.ts';
import type { Handler, PathIds } from './request-context.ts';
import { HttpError } from './responses.ts';

/** The base address's path, under which more rules apply. */
export const API_BASE = '/api/v3/';
const FOLDERS = `${API_BASE}projects/:projectId/folders`;
const FILES = `${FOLDERS}/:folderId/files`;

const CALLS = [
  ['POST', '/files/upload.php', 'upload', uploadFile],
  ['GET', '/files/:fileId/download', 'download', downloadFile],
  ['GET', FILES, 'list', listFiles],
  ['POST', FILES, 'create', createFiles],
  ['DELETE', `${FILES}/:fileId`, 'delete', deleteFile],
  ['GET', `${API_BASE}projects`, 'projects', listProjects],
  ['GET', FOLDERS, 'folders', listFolders],
  ['POST', FOLDERS, 'create-folder', createFolder],
  ['PUT', `${FOLDERS}/:folderId`, 'rename-folder', renameFolder],
  ['DELETE', `${FOLDERS}/:folderId`, 'delete-folder', deleteFolder],
  ['GET', `${API_BASE}people`, 'people', listPeople],
] as const satisfies readonly (readonly [string, string, string, Handler])[];

/** What a request asks for; `unknown` if the service has no such call. */
export type Operation = (typeof CALLS)[number][2] | 'unknown';

export interface Route {
  operation: Operation;
  handler: Handler;
  ids: PathIds;
}

const ROUTES = CALLS.map(([method, path, operation, handler]) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[1-9][0-9]{0,14})')}$`),
  operation,
  handler,
}));

/** Finds the operation that a request calls; `path` starts after the account's address. */
export function findRoute(requestMethod: string, path: string): Route {
  for (const { method, pattern, operation, handler } of ROUTES) {
    const match = method === requestMethod ? pattern.exec(path) : null;
    if (match) return { operation, handler, ids: idsOf(match.groups ?? {}) };
  }
  return { operation: 'unknown', handler: refuseUnknown, ids: idsOf({}) };
}

function refuseUnknown(): never {
  throw new HttpError(404, 'There is no such call.');
}

function idsOf({ projectId, folderId, fileId }: Record<string, string | undefined>): PathIds {
  return {
    projectId: Number(projectId ?? 0),
    folderId: Number(folderId ?? 0),
    fileId: Number(fileId ?? 0),
  };
}
