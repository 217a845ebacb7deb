import { part } from './state.js';

/** Returns a folder's path in words, from its project down. */
export function folderPath({ projectId, folderId }) {
  const project = part(`project/${projectId}`);
  const byFolder = new Map(project?.folders.map((folder) => [folder.id, folder]));
  const names = [];
  for (let at = byFolder.get(folderId); at; at = byFolder.get(at.parentId)) names.unshift(at.name);
  const shown = names.length > 0 ? names : ['a folder that’s gone'];
  return [project?.title ?? projectId, ...shown].join(' › ');
}
