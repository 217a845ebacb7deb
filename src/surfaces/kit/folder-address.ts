import type { FolderRef } from '../../core/index.ts';
import { webAddress } from './text.ts';

let template: string | null = null;

/**
 * Says where all folders are, for the texts that are made from now on: an address with `{project}`
 * and `{folder}` in place of the numbers; null for nowhere. A process serves one account.
 */
export function locateFolders(address: string | null): void {
  template = address;
}

/** So short that a sentence with several folders fits Slack's limit for a text. */
const MAX_LENGTH = 500;

/** Returns where people open a folder: the address that was pasted, else by the setting; or null. */
export function folderAddress({ url, projectId, folderId }: FolderRef): string | null {
  const made = template
    ?.replaceAll('{project}', String(projectId))
    .replaceAll('{folder}', String(folderId));
  return webAddress(url ?? made ?? '', MAX_LENGTH);
}
