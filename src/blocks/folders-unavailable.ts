import type { FolderRef } from './folder-ref.ts';
import { fallbackText, type Line, prose } from './prose.ts';
import type { View } from './view.ts';

/** The answer to `/folders` where the account does not list its projects or folders. */
export function foldersUnavailable({ linked }: { linked: FolderRef | null }): View {
  const lines: Line[] = [
    ['This account does not list its folders. You can still link one by its number.'],
    [
      'Type ',
      { command: '/files link 12/345' },
      ' with the numbers of the project and the folder; they are in the folder’s address in the file service.',
    ],
    linked === null
      ? ['This channel is not linked to a folder.']
      : ['This channel’s files go to ', { folder: linked }, '.'],
  ];
  return { text: fallbackText(...lines), blocks: [prose(...lines)] };
}
