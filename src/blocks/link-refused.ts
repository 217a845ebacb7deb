import type { Refusal } from '../transfers/index.ts';
import { OTHER_WORKSPACE } from './other-workspace.ts';
import type { Line } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

export type LinkRefusal =
  | Refusal
  | 'no-such-folder'
  | 'forbidden'
  | 'unreadable-target'
  | 'ambiguous-name';

export interface LinkRefusedInput {
  reason: LinkRefusal;
  /** The folder as the person typed it. */
  typed: string;
}

const USE_FOLDERS: Line = [{ command: '/folders' }, ' shows the folders with a button for each.'];

/** The private answer to a link that is not made: why, and what to do next. */
export function linkRefused({ reason, typed }: LinkRefusedInput): View {
  return say(['This channel was not linked. ', ...WHY[reason]({ typed })]);
}

const WHY: Record<LinkRefusal, (folder: { typed: string }) => Line> = {
  'not-allowed': (folder) => [
    'Only workspace admins link channels. Ask one of them to type ',
    { typed: `/files link ${folder.typed}` },
    ' here.',
  ],
  guest: () => ['Only workspace admins link channels. Ask one of them.'],
  'other-workspace': () => [OTHER_WORKSPACE],
  'no-such-folder': (folder) => [
    'There is no folder ',
    folder,
    ' in the file service. ',
    ...USE_FOLDERS,
  ],
  forbidden: (folder) => [
    'The file service does not let me use the folder ',
    folder,
    '. Ask for access to it, or choose another. ',
    ...USE_FOLDERS,
  ],
  'unreadable-target': (folder) => [
    'I cannot make out a folder in ',
    folder,
    '. Type the numbers of the project and the folder, for example ',
    { command: '/files link 12/345' },
    '. ',
    ...USE_FOLDERS,
  ],
  'ambiguous-name': (folder) => [
    'More than one folder is called ',
    folder,
    '. Choose it by its number, for example ',
    { command: '/files link 12/345' },
    '. ',
    ...USE_FOLDERS,
  ],
};
