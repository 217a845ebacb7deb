import { say } from './say.ts';
import type { View } from './view.ts';

/** The private answer to `/folders` for guests, and for people of other workspaces. */
export function membersOnly(): View {
  return say(
    [
      'Only full members of this workspace can look through the account’s folders: guests and people of other workspaces see those of their channels only.',
    ],
    ['For the files in this channel’s folder, type ', { command: '/files' }, '.'],
  );
}
