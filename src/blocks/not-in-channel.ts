import type { FolderRef } from './folder-ref.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** The private answer to a link in a channel that the bot is not in: it is set, but nothing is seen. */
export function notInChannel({ folder }: { folder: FolderRef }): View {
  return say(
    ['This channel is linked to ', { folder }, ' now, but I am not in it and see no files here.'],
    ['To bring me in, type ', { command: '/invite @pigeonhole' }, '.'],
  );
}
