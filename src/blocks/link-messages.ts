import type { types } from '@slack/bolt';
import type { ErrorCode } from '../base/index.ts';
import type { FolderRef, PauseReason } from '../transfers/index.ts';
import { ACTIONS } from './actions.ts';
import { ANNOUNCES_TOO } from './added-files.ts';
import { button, type View } from './layout.ts';
import {
  type AboutChannel,
  ask,
  didYouMean,
  hereOrIn,
  type Line,
  line,
  ONE_WHO_LINKS,
  placeWord,
  type Reader,
  say,
  whoCanLink,
} from './prose.ts';
import { whyOf } from './reasons.ts';
import { agreeing, isChannelId } from './text.ts';

/** The button that opens the form to link a channel, for people who may link it. */
export function linkButton(
  about: AboutChannel = {},
  label = about.elsewhere === undefined ? `Link this ${placeWord(about)}` : 'Link that channel',
): types.Button {
  const { elsewhere: channel = null } = about;
  return button({ action: ACTIONS.linkChannel, label, claim: { channel } });
}

interface LinkedInput extends Pick<Reader, 'isDirect'> {
  folder: FolderRef;
  /** Slack ID of the person who linked the channel. */
  byUserId: string;
  /** The folder that the channel was linked to before. */
  wasFolder: FolderRef | null;
  /** Whether announcements tell the channel what others add to the folder. Default: false. */
  announces?: boolean;
}

/** Posted in the channel when it is linked to a folder. */
export function linked(input: LinkedInput): View {
  const { folder, byUserId: person, wasFolder, announces = false } = input;
  const now = wasFolder === null ? '' : ' now';
  return say(
    line`${{ person }} linked this ${placeWord(input)}: files shared here are${now} filed in ${{ folder }}.`,
    wasFolder && line`Files already in ${{ folder: wasFolder }} stay there.`,
    announces ? ANNOUNCES_TOO : null,
  );
}

/** Posted in the channel when the bot joins it after somebody linked it. */
export function linkedBefore(input: Omit<LinkedInput, 'wasFolder' | 'isDirect'>): View {
  const { folder, byUserId: person, announces } = input;
  return say(
    line`Files shared here are filed in ${{ folder }}: ${{ person }} linked this channel to it.`,
    announces ? ANNOUNCES_TOO : null,
  );
}

interface UnlinkedInput extends Pick<Reader, 'isDirect'> {
  /** The folder that the channel was linked to. */
  folder: FolderRef;
  /** Slack ID of the person who unlinked the channel. */
  byUserId: string;
  /** The default folder, where files go from now on; null when there is none. */
  fallback: FolderRef | null;
}

/** Posted in the channel when its link is removed: says what stops and what stays. */
export function unlinked(input: UnlinkedInput): View {
  const { folder, byUserId: person, fallback } = input;
  const then: Line = fallback
    ? line`Files shared here now go to the default folder, ${{ folder: fallback }}.`
    : ['Files shared here are no longer filed.'];
  return say(
    line`${{ person }} unlinked this ${placeWord(input)} from ${{ folder }}.`,
    line`${then} Files already in ${{ folder }} stay there.`,
  );
}

interface LinkedTo extends AboutChannel {
  folder: FolderRef;
}

function which(about: AboutChannel): Line {
  const { elsewhere: channel } = about;
  if (channel === undefined) return [`This ${placeWord(about)}`];
  return [isChannelId(channel) ? { channel } : 'The direct message'];
}

/** The private response to linking a channel to the folder that it is already linked to. */
export function alreadyLinked({ folder, ...about }: LinkedTo & Pick<Reader, 'isDirect'>): View {
  return say(line`${which(about)} is already linked to ${{ folder }}. Nothing has changed.`);
}

/** The private response to unlinking a channel that is not linked. */
export function notLinked(where: Pick<Reader, 'isDirect'>): View {
  return ask(
    [line`This ${placeWord(where)} isn’t linked, so there’s nothing to unlink.`],
    [linkButton(where)],
  );
}

/** The private response to `/files unlink` with further words. */
export const UNLINK_USAGE = say(
  line`Nothing was changed. ${{ command: '/files unlink' }} unlinks the channel or conversation that you type it in, and takes no further words.`,
);

interface NoDestinationInput extends Reader {
  /** Whether the bot is in the conversation. Default: true. */
  isIn?: boolean;
  /** The command that may have been meant. Default: none. */
  nearest?: string | undefined;
}

/** Sent privately to a person who shares or asks for files in a channel without a folder. */
export function noDestinationHint(input: NoDestinationInput): View {
  const { mayLink, isDirect, isIn = true, nearest } = input;
  if (isDirect && !isIn) return say(whyBotIsAbsent(input));
  if (isDirect && !mayLink)
    return say(
      line`Files shared here stay in Slack only: this conversation has no folder. To have a file filed, share it in a linked channel.`,
    );
  return ask(
    [
      line`This ${placeWord(input)} isn’t linked to a folder: files shared here stay in Slack only.`,
      line`${whoCanLink(input)} link it with ${{ command: '/files link' }}; files shared before that can be filed too.`,
      isIn ? null : whyBotIsAbsent(input),
      nearest ? didYouMean(nearest) : null,
    ],
    [mayLink ? linkButton(input) : null],
  );
}

/**
 * Sent privately to the person who adds the bot to a channel that is not linked; `fallback`: the
 * default folder, where its files go; null when there is none.
 */
export function addedHere(input: Omit<Reader, 'isDirect'> & { fallback: FolderRef | null }): View {
  const { fallback, mayLink } = input;
  const now =
    fallback === null
      ? line`This channel isn’t linked to a folder yet, so files shared here stay in Slack only.`
      : line`Files shared here are filed in the default folder, ${{ folder: fallback }}.`;
  const own = fallback === null ? 'a folder' : 'a folder of its own';
  return ask(
    [
      line`Thanks for adding me. ${now}`,
      line`${whoCanLink(input)} link this channel to ${own} with ${{ command: '/files link' }}.`,
    ],
    [mayLink ? linkButton() : null],
  );
}

/** The private response to a new link in a channel without the bot, where it sees no files yet. */
export function notInChannel({ folder, ...about }: LinkedTo): View {
  return say(
    line`${which(about)} is now linked to ${{ folder }}, but I’m not in it, so I can’t see its files.`,
    bringMeIn(about),
  );
}

/** The private response when announcements are on, but the bot is not in the channel yet. */
export function announcementsUnseen({ folder }: { folder: FolderRef }): View {
  return say(
    line`Announcements are on for ${{ folder }}, but I’m not in this channel, so I can’t post them.`,
    bringMeIn({}),
  );
}

// A command acts on the channel where it is typed.
function bringMeIn({ elsewhere }: AboutChannel): Line {
  const there = elsewhere === undefined ? '' : ' in that channel';
  return line`To bring me in, type ${{ command: '/invite @pigeonhole' }}${there}.`;
}

/**
 * Says why files shared in a conversation without the bot are not filed; `isDirect`: the bot can't
 * be added to it.
 */
export function whyBotIsAbsent({ isDirect }: Pick<Reader, 'isDirect'>): Line {
  return isDirect
    ? line`I can’t be added to this conversation, so I can’t see files shared here. Share them in a channel, or with me directly.`
    : line`I’m not in this channel, so I can’t see files shared here. ${bringMeIn({})}`;
}

/** The private response to linking a direct message between people: the bot can't be added. */
export const NOT_IN_CONVERSATION = say(
  line`Direct messages between people can’t be linked: I can’t be added to them, so I can’t see their files. Share the files in a channel, or with me directly.`,
);

interface NotAnnouncedInput extends AboutChannel {
  /** Why the bot couldn’t post in the channel. */
  code: ErrorCode;
}

/** Tells the person who made a change, privately and under what could not be posted, why not. */
export function notAnnounced({ code, ...about }: NotAnnouncedInput): View {
  return say(
    line`Done, but I couldn’t post ${hereOrIn(about)}: ${whyOf(code)}. Please let people know.`,
  );
}

/** A link whose folder takes no files, so that they wait. */
interface PausedLink {
  reason: PauseReason;
  folder: FolderRef;
}

function whyPaused({ reason, folder }: PausedLink, whose = 'its'): Line {
  const named = line`${whose} folder, ${{ folder }}`;
  if (reason === 'DESTINATION_GONE') return line`${named}, is gone`;
  return reason === 'SERVICE_FORBIDDEN'
    ? line`the file service no longer lets me use ${named}`
    : line`the file service doesn’t let me upload to the project of ${named}`;
}

/** Sent privately, once, to the person who made a paused link and may choose another folder. */
export function linkPaused({ channel, ...paused }: PausedLink & { channel: string }): View {
  return ask(
    [
      line`Files shared in ${{ channel }} are waiting: ${whyPaused(paused)}. Nothing is lost.`,
      [MEND[paused.reason]],
      line`I’m telling you because you linked it.`,
    ],
    [linkButton({ elsewhere: channel }, 'Choose another folder')],
  );
}

const MEND: Record<PauseReason, string> = {
  DESTINATION_GONE: 'Choose another folder, and the waiting files go there automatically.',
  SERVICE_FORBIDDEN:
    'In the file service, give the user whose key I use access to it again, and the waiting files go there automatically. Or choose another folder for them.',
  SERVICE_UPLOAD_FORBIDDEN:
    'In the file service, let the user whose key I use upload to that project, and the waiting files go there automatically. Or choose another folder for them.',
};

/** Posted in the channel, once, when `linkPaused` cannot be sent to the person who linked it. */
export function channelPaused({ linkBy, ...paused }: PausedLink & Pick<Reader, 'linkBy'>): View {
  return say(
    line`Files shared here are waiting: ${whyPaused(paused, 'their')}. Nothing is lost.`,
    line`${ONE_WHO_LINKS[linkBy]} choose another folder with ${{ command: '/files link' }}, and the waiting files go there automatically.`,
  );
}

/** Shown to a person who asks for the files of a channel whose link is paused. */
export function pausedHere(input: PausedLink & Omit<Reader, 'linkBy'>): View {
  return ask(
    [
      line`This ${placeWord(input)}’s link is paused: ${whyPaused(input)}. Files shared here wait, and nothing is lost.`,
    ],
    [input.mayLink ? linkButton({}, 'Choose another folder') : null],
  );
}

/** Says what happens to files that wait for a paused link; `isNotified`: as in shareLine. */
export function whilePaused(count: number, { isNotified }: { isNotified: boolean }): Line {
  const go = `${agreeing(count).theyAre} filed automatically`;
  if (isNotified) return [`I’ve told the people who can fix that. Once that’s done, ${go}.`];
  return [`Once that’s fixed, or another folder is chosen, ${go}.`];
}
