import { say } from './say.ts';
import type { View } from './view.ts';

/** Said privately to who shares a file, or asks for the files, in a channel that has no folder. */
export function noDestinationHint(): View {
  return say(
    ['This channel is not linked to a folder: files shared here stay in Slack alone.'],
    [
      'A workspace admin can link it with ',
      { command: '/files link <project>/<folder>' },
      ' or ',
      { command: '/folders' },
      '; what was shared before can be filed then.',
    ],
  );
}
