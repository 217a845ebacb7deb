import type { FolderRef } from './folder-ref.ts';
import type { Line } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

export interface LinkedInput {
  folder: FolderRef;
  /** Slack's identifier of who linked the channel. */
  byUserId: string;
  /** The folder that the channel was linked to before. */
  wasFolder: FolderRef | null;
}

/** Said in the channel when it is linked to a folder. */
export function linked({ folder, byUserId, wasFolder }: LinkedInput): View {
  const before = wasFolder === null ? '' : ' now';
  const stay = wasFolder === null ? [] : [['What is in ', { folder: wasFolder }, ' stays there.']];
  return say(
    [
      { person: byUserId },
      ' linked this channel: files shared here are',
      before,
      ' filed in ',
      { folder },
      '.',
    ],
    ...stay,
  );
}

export interface UnlinkedInput {
  /** The folder that the channel was linked to. */
  folder: FolderRef;
  /** Slack's identifier of who took the link away. */
  byUserId: string;
  /** The default folder, where files go from now on; null when there is none. */
  fallback: FolderRef | null;
}

/** Said in the channel when its link is taken away: what stops and what stays. */
export function unlinked({ folder, byUserId, fallback }: UnlinkedInput): View {
  const then: Line =
    fallback === null
      ? ['Files shared here are no longer filed. ']
      : ['Files shared here now go to the default folder, ', { folder: fallback }, '. '];
  return say(
    [{ person: byUserId }, ' took away this channel’s link to ', { folder }, '.'],
    [...then, 'What has been filed stays in ', { folder }, '.'],
  );
}

/** The private answer to linking a channel to the folder that it is linked to. */
export function alreadyLinked({ folder }: { folder: FolderRef }): View {
  return say(['This channel is linked to ', { folder }, ' already. Nothing has changed.']);
}

/** The private answer to taking away a link that is not there. */
export function notLinked(): View {
  return say(
    ['This channel has no link of its own, so there is none to take away.'],
    ['To link it to a folder, type ', { command: '/files link <project>/<folder>' }, '.'],
  );
}
