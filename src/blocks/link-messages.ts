import type { ErrorCode } from '../base/index.ts';
import type { Refusal } from '../transfers/index.ts';
import { type FolderRef, type Line, line, say, type View } from './prose.ts';
import { reasonFor } from './reasons.ts';
import { OTHER_WORKSPACE } from './refusals.ts';

const HOW_TO_LINK = { command: '/files link <project>/<folder>' };
const EXAMPLE = { command: '/files link 12/345' };
const USE_FOLDERS = line`${{ command: '/folders' }} shows the folders with a button for each.`;

export interface LinkedInput {
  folder: FolderRef;
  /** Slack's identifier of who linked the channel. */
  byUserId: string;
  /** The folder that the channel was linked to before. */
  wasFolder: FolderRef | null;
}

/** Said in the channel when it is linked to a folder. */
export function linked({ folder, byUserId: person, wasFolder }: LinkedInput): View {
  const now = wasFolder === null ? '' : ' now';
  const stay = wasFolder === null ? [] : [line`What is in ${{ folder: wasFolder }} stays there.`];
  return say(
    line`${{ person }} linked this channel: files shared here are${now} filed in ${{ folder }}.`,
    ...stay,
  );
}

export interface UnlinkedInput {
  /** The folder that the channel was linked to. */
  folder: FolderRef;
  /** Slack's identifier of who unlinked the channel. */
  byUserId: string;
  /** The default folder, where files go from now on; null when there is none. */
  fallback: FolderRef | null;
}

/** Said in the channel when its link is removed: what stops and what stays. */
export function unlinked({ folder, byUserId: person, fallback }: UnlinkedInput): View {
  const then: Line = fallback
    ? line`Files shared here now go to the default folder, ${{ folder: fallback }}.`
    : ['Files shared here are no longer filed.'];
  return say(
    line`${{ person }} took away this channel’s link to ${{ folder }}.`,
    line`${then} What has been filed stays in ${{ folder }}.`,
  );
}

/** The private answer to linking a channel to the folder that it is linked to. */
export function alreadyLinked({ folder }: { folder: FolderRef }): View {
  return say(line`This channel is linked to ${{ folder }} already. Nothing has changed.`);
}

/** The private answer to removing a link that is not there. */
export function notLinked(): View {
  return say(
    line`This channel has no link of its own, so there is none to take away.`,
    line`To link it to a folder, type ${HOW_TO_LINK}.`,
  );
}

export type LinkRefusal =
  | Refusal
  | 'no-such-folder'
  | 'forbidden'
  | 'unreadable-target'
  | 'ambiguous-name';

const MAY_NOT_LINK: Record<LinkRefusal, (typed: string) => Line> = {
  'not-allowed': (typed) =>
    line`Only workspace admins link channels. Ask one of them to type ${{ typed: `/files link ${typed}` }} here.`,
  guest: () => ['Only workspace admins link channels. Ask one of them.'],
  'other-workspace': () => [OTHER_WORKSPACE],
  'no-such-folder': (typed) =>
    line`There is no folder ${{ typed }} in the file service. ${USE_FOLDERS}`,
  forbidden: (typed) =>
    line`The file service does not let me use the folder ${{ typed }}. Ask for access to it, or choose another. ${USE_FOLDERS}`,
  'unreadable-target': (typed) =>
    line`I cannot make out a folder in ${{ typed }}. Type the numbers of the project and the folder, for example ${EXAMPLE}. ${USE_FOLDERS}`,
  'ambiguous-name': (typed) =>
    line`More than one folder is called ${{ typed }}. Choose it by its number, for example ${EXAMPLE}. ${USE_FOLDERS}`,
};

/** The private answer to a link that is not made, to the folder as the person typed it. */
export function linkRefused({ reason, typed }: { reason: LinkRefusal; typed: string }): View {
  return say(line`This channel was not linked. ${MAY_NOT_LINK[reason](typed)}`);
}

/** The private answer to `/files link` without a folder, or with something that is none. */
export function linkUsage(): View {
  return say(
    line`Say which folder: ${HOW_TO_LINK}, for example ${EXAMPLE}.`,
    line`The numbers are in the folder’s address in the file service. ${USE_FOLDERS}`,
  );
}

/** Said privately to somebody who shares a file, or asks for the files, in a channel without a folder. */
export function noDestinationHint(): View {
  return say(
    line`This channel is not linked to a folder: files shared here stay in Slack alone.`,
    line`A workspace admin can link it with ${HOW_TO_LINK} or ${{ command: '/folders' }}; what was shared before can be filed then.`,
  );
}

/** The private answer to a link in a channel that the bot is not in: it is set, but nothing is seen. */
export function notInChannel({ folder }: { folder: FolderRef }): View {
  return say(
    line`This channel is linked to ${{ folder }} now, but I am not in it and see no files here.`,
    line`To bring me in, type ${{ command: '/invite @pigeonhole' }}.`,
  );
}

export interface NotAnnouncedInput {
  /** What the channel was to be told: it is done. */
  view: View;
  /** Why the channel could not be told. */
  code: ErrorCode;
  /** What the person is asked besides; null for nothing. */
  question: View | null;
}

/** What was done, said privately to the person who did it, as it could not be posted in the channel. */
export function notAnnounced({ view, code, question }: NotAnnouncedInput): View {
  const { why } = reasonFor(code);
  const alone = say([`This is done, but the channel could not be told: ${why}. Tell the others.`]);
  const views = [view, alone, ...(question ? [question] : [])];
  return {
    text: views.map(({ text }) => text).join('\n'),
    blocks: views.flatMap(({ blocks }) => blocks),
  };
}
