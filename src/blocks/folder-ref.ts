import type { Destination } from '../transfers/index.ts';
import { shownName } from './shown-name.ts';

/** A folder as the views speak of it. */
export interface FolderRef extends Destination {
  /** Null when the account does not tell folders' names. */
  name: string | null;
}

/** A folder's name as it is shown; its number where there is no name. */
export function shownFolder(folder: FolderRef, max?: number): string {
  const unnamed = `folder ${folderNumber(folder)}`;
  return shownName(folder.name ?? '', max === undefined ? { unnamed } : { unnamed, max });
}

/** A folder as `/files link` takes it: `<project>/<folder>`. */
export function folderNumber(folder: Destination): string {
  return `${folder.projectId}/${folder.folderId}`;
}
