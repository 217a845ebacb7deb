import type { Operation } from './operation.ts';

/** The identifiers in a path; 0, which identifies nothing, where the path has none. */
export interface PathIds {
  projectId: number;
  folderId: number;
  fileId: number;
}

export interface Route {
  operation: Operation;
  ids: PathIds;
  /** Whether the path is under `/api/v3/`, where more rules apply. */
  inBase: boolean;
}

const FOLDERS = '/api/v3/projects/:projectId/folders';

const CALLS: readonly [method: string, pattern: string, operation: Operation][] = [
  ['GET', `${FOLDERS}/:folderId/files`, 'list'],
  ['POST', `${FOLDERS}/:folderId/files`, 'create'],
  ['DELETE', `${FOLDERS}/:folderId/files/:fileId`, 'delete'],
  ['POST', '/files/upload.php', 'upload'],
  ['GET', '/files/:fileId/download', 'download'],
  ['GET', '/api/v3/projects', 'projects'],
  ['GET', FOLDERS, 'folders'],
  ['POST', FOLDERS, 'create-folder'],
  ['PUT', `${FOLDERS}/:folderId`, 'rename-folder'],
  ['DELETE', `${FOLDERS}/:folderId`, 'delete-folder'],
  ['GET', '/api/v3/people', 'people'],
];

const ROUTES = CALLS.map(([method, pattern, operation]) => ({
  method,
  pattern: new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[1-9][0-9]{0,14})')}$`),
  operation,
}));

/** Finds the operation that a request calls; `path` starts after the account's address. */
export function findRoute(method: string, path: string): Route {
  const inBase = path.startsWith('/api/v3/');
  for (const route of ROUTES) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match) return { operation: route.operation, ids: idsOf(match.groups ?? {}), inBase };
  }
  return { operation: 'unknown', ids: idsOf({}), inBase };
}

function idsOf({ projectId, folderId, fileId }: Record<string, string | undefined>): PathIds {
  return {
    projectId: Number(projectId ?? 0),
    folderId: Number(folderId ?? 0),
    fileId: Number(fileId ?? 0),
  };
}
