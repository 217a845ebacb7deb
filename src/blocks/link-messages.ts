import type { types } from '@slack/bolt';
import type { ErrorCode } from '../base/index.ts';
import type { FolderRef, PauseReason } from '../transfers/index.ts';
import { ACTIONS, channelValue } from './actions.ts';
import { announcesToo } from './added-files.ts';
import { button } from './layout.ts';
import { type AboutChannel, ask, type Line, line, say, type View } from './prose.ts';
import { whyOf } from './reasons.ts';
import {
  type LinkReader,
  type LinkRule,
  ONE_WHO_LINKS,
  type ReaderHere,
  whoCanLink,
} from './refusals.ts';

/**
 * Opens the form that links a channel, by default the one that it is pressed in; for people who
 * may link it.
 */
export function linkButton(
  channel: string | null = null,
  label = 'Link this channel',
): types.Button {
  return button({ action: ACTIONS.linkChannel, label, value: channelValue.write({ channel }) });
}

export interface LinkedInput {
  folder: FolderRef;
  /** Slack's identifier of who linked the channel. */
  byUserId: string;
  /** The folder that the channel was linked to before. */
  wasFolder: FolderRef | null;
  /** Whether the channel is told what others add to the folder. Default: it is not. */
  announces?: boolean;
}

/** Said in the channel when it is linked to a folder. */
export function linked({ folder, byUserId, wasFolder, announces = false }: LinkedInput): View {
  const who = { person: byUserId };
  const now = wasFolder === null ? '' : ' now';
  return say(
    line`${who} linked this channel: files shared here are${now} filed in ${{ folder }}.`,
    ...(wasFolder ? [line`Files already in ${{ folder: wasFolder }} stay there.`] : []),
    ...(announces ? [announcesToo()] : []),
  );
}

/** Said in the channel when I come into it and somebody has linked it before. */
export function linkedBefore({
  folder,
  byUserId,
  announces,
}: Omit<LinkedInput, 'wasFolder'>): View {
  const who = { person: byUserId };
  return say(
    line`Files shared here are filed in ${{ folder }}: ${who} linked this channel to it.`,
    ...(announces ? [announcesToo()] : []),
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
    line`${{ person }} unlinked this channel from ${{ folder }}.`,
    line`${then} Files already in ${{ folder }} stay there.`,
  );
}

interface LinkedTo extends AboutChannel {
  folder: FolderRef;
}

function which({ elsewhere: channel }: AboutChannel): Line {
  return [channel === undefined ? 'This channel' : { channel }];
}

/** The private answer to linking a channel to the folder that it is linked to. */
export function alreadyLinked({ folder, ...about }: LinkedTo): View {
  return say(line`${which(about)} is already linked to ${{ folder }}. Nothing has changed.`);
}

/** The private answer to removing a link that is not there. */
export function notLinked(): View {
  return ask([line`This channel isn’t linked, so there’s nothing to unlink.`], [linkButton()]);
}

/** Said privately to somebody who shares a file, or asks for the files, in a channel without a folder. */
export function noDestinationHint(input: ReaderHere): View {
  const { mayLink, isDirect } = input;
  if (isDirect && !mayLink)
    return say(
      line`Files shared here stay in Slack only: this conversation has no folder. To have a file filed, share it in a linked channel.`,
    );
  const what = isDirect ? 'conversation' : 'channel';
  return ask(
    [
      line`This ${what} isn’t linked to a folder: files shared here stay in Slack only.`,
      line`${whoCanLink(input)} link it with ${{ command: '/files link' }}; files shared before that can be filed too.`,
    ],
    [mayLink ? linkButton() : null],
  );
}

export interface AddedInput extends LinkReader {
  /** The default folder, where the channel's files go; null when there is none. */
  fallback: FolderRef | null;
}

/** Said privately to somebody who adds me to a channel that is not linked. */
export function addedHere({ fallback, ...reader }: AddedInput): View {
  const now =
    fallback === null
      ? line`This channel isn’t linked to a folder yet, so files shared here stay in Slack only.`
      : line`Files shared here are filed in the default folder, ${{ folder: fallback }}.`;
  const own = fallback === null ? 'a folder' : 'a folder of its own';
  return ask(
    [
      line`Thanks for adding me. ${now}`,
      line`${whoCanLink(reader)} link this channel to ${own} with ${{ command: '/files link' }}.`,
    ],
    [reader.mayLink ? linkButton() : null],
  );
}

/** The private answer to a link in a channel that the bot is not in: it is set, but nothing is seen. */
export function notInChannel({ folder, ...about }: LinkedTo): View {
  return say(
    line`${which(about)} is now linked to ${{ folder }}, but I’m not in it, so I can’t see its files.`,
    bringMeIn(about),
  );
}

/** The private answer where a channel is told what others add to its folder, once the bot is in it. */
export function announcementsUnseen({ folder }: { folder: FolderRef }): View {
  return say(
    line`Announcements are on for ${{ folder }}, but I’m not in this channel, so I can’t post them.`,
    bringMeIn({}),
  );
}

// A command is of the channel that it is typed in.
function bringMeIn({ elsewhere }: AboutChannel): Line {
  const there = elsewhere === undefined ? '' : ' in that channel';
  return line`To bring me in, type ${{ command: '/invite @pigeonhole' }}${there}.`;
}

/**
 * Why nothing that is shared in a conversation is filed, where the bot is not in it; `isDirect`:
 * it can't be.
 */
export function notIn({ isDirect }: { isDirect: boolean }): Line {
  return isDirect
    ? line`I can’t be added to this conversation, so I can’t see files shared here. Share them in a channel, or with me directly.`
    : line`I’m not in this channel, so I can’t see files shared here. ${bringMeIn({})}`;
}

/** The private answer to a link in a direct message between others, into which nobody can bring the bot. */
export function notInConversation(): View {
  return say(
    line`Direct messages between people can’t be linked: I can’t be added to them, so I can’t see their files. Share the files in a channel, or with me directly.`,
  );
}

export interface NotAnnouncedInput extends AboutChannel {
  /** What the channel was to be told: it is done. */
  view: View;
  /** Why I couldn’t post in the channel. */
  code: ErrorCode;
  /** What the person is asked besides; null for nothing. */
  question: View | null;
}

/** What was done, said privately to the person who did it, as it could not be posted in the channel. */
export function notAnnounced({ view, code, question, elsewhere }: NotAnnouncedInput): View {
  const where = elsewhere === undefined ? 'the channel' : { channel: elsewhere };
  const alone = say(
    line`Done, but I couldn’t post in ${where}: ${whyOf(code)}. Please let people know.`,
  );
  const views = [view, alone, ...(question ? [question] : [])];
  return {
    text: views.map(({ text }) => text).join('\n'),
    blocks: views.flatMap(({ blocks }) => blocks),
  };
}

/** A link whose folder takes no files, so that they wait. */
export interface PausedLink {
  reason: PauseReason;
  folder: FolderRef;
}

function whyPaused({ reason, folder }: PausedLink, whose = 'its'): Line {
  const named = line`${whose} folder, ${{ folder }}`;
  return reason === 'DESTINATION_GONE'
    ? line`${named}, is gone`
    : line`the file service no longer lets me use ${named}`;
}

/** Said in private, once, to who linked a channel whose link is paused, and may link it to another folder. */
export function linkPaused({ channel, ...paused }: PausedLink & { channel: string }): View {
  return ask(
    [
      line`Files shared in ${{ channel }} are waiting: ${whyPaused(paused)}. Nothing is lost.`,
      [MEND[paused.reason]],
      line`I’m telling you because you linked it.`,
    ],
    [linkButton(channel, 'Choose another folder')],
  );
}

const MEND: Record<PauseReason, string> = {
  DESTINATION_GONE: 'Choose another folder, and the waiting files go there by themselves.',
  SERVICE_FORBIDDEN:
    'Give me access to it again, and the waiting files go there by themselves. Or choose another folder for them.',
};

/** Said in the channel, once, where who linked it cannot be told. */
export function channelPaused({ linkBy, ...paused }: PausedLink & LinkRule): View {
  return say(
    line`Files shared here are waiting: ${whyPaused(paused, 'this channel’s')}. Nothing is lost.`,
    line`${ONE_WHO_LINKS[linkBy]} choose another folder with ${{ command: '/files link' }}, and the waiting files go there by themselves.`,
  );
}

/** Said to who asks for the files of a channel whose link is paused. */
export function pausedHere({ mayLink, ...paused }: PausedLink & { mayLink: boolean }): View {
  return ask(
    [
      line`This channel’s link is paused: ${whyPaused(paused)}. Files shared here wait, and nothing is lost.`,
    ],
    [mayLink ? linkButton(null, 'Choose another folder') : null],
  );
}

/** What becomes of files that wait for a paused link; `told`: somebody who can fix that was told. */
export function untilMended(count: number, { told }: { told: boolean }): Line {
  const go = count === 1 ? 'it’s filed by itself' : 'they’re filed by themselves';
  if (told) return [`I’ve told the people who can fix that. Once they have, ${go}.`];
  return [`Once that’s fixed, or the channel has another folder, ${go}.`];
}
