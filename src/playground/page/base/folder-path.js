import { part } from './state.js';

/** A folder's place in words, from its project down. */
export function folderPath({ projectId, folderId }) {
  const project = part(`project/${projectId}`);
  const byFolder = new Map(project?.folders.map((folder) => [folder.id, folder]));
  const names = [];
  for (let at = byFolder.get(folderId); at; at = byFolder.get(at.parentId)) names.unshift(at.name);
  return [project?.title ?? projectId, ...(names.length > 0 ? names : [folderId])].join(' › ');
}
