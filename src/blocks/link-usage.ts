import { say } from './say.ts';
import type { View } from './view.ts';

/** The private answer to `/files link` without a folder, or with something that is none. */
export function linkUsage(): View {
  return say(
    [
      'Say which folder: ',
      { command: '/files link <project>/<folder>' },
      ', for example ',
      { command: '/files link 12/345' },
      '.',
    ],
    [
      'The numbers are in the folder’s address in the file service. ',
      { command: '/folders' },
      ' shows the folders with a button for each.',
    ],
  );
}
