import type { Destination } from '../transfers/index.ts';

/** A request, by what its answer is judged by. */
export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the account address: where `path` begins. */
  root: '/api/v3' | '';
  path: string;
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean;
  /** The field that an answer of success carries, in each of its records; null when none need. */
  identifier: 'id' | 'file_id' | null;
}

/** An operation below `{base_url}`; all but a create may be repeated. */
export function apiOperation(method: Operation['method'], path: string): Operation {
  const identifier = method === 'DELETE' ? null : 'id';
  return { method, root: '/api/v3', path, repeatable: method !== 'POST', identifier };
}

/** The upload of a file (service interface, section 4.4): another one leaves nothing to be seen. */
export const UPLOAD: Operation = {
  method: 'POST',
  root: '',
  path: '/files/upload.php',
  repeatable: true,
  identifier: 'file_id',
};

/** The path of a folder's files. */
export function filesPath({ projectId, folderId }: Destination): string {
  return `/projects/${projectId}/folders/${folderId}/files`;
}

/** The start of each message about a request. */
export function describeOperation({ method, path }: Operation): string {
  return `${method} ${path}`;
}
