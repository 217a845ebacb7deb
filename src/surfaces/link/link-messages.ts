import type { types } from '@slack/bolt';
import type { FolderReason, FolderRef } from '../../core/index.ts';
import { announcesToo } from '../announce/added-files.ts';
import { MAX_FILTER_LENGTH } from '../kit/claims.ts';
import { button, type View } from '../kit/layout.ts';
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
} from '../kit/prose.ts';
import { service } from '../kit/service-name.ts';
import { isChannelId, shownFolder } from '../kit/text.ts';
import { KEEP_LINK, LINK_AGAIN, LINK_CHANNEL, UNLINK } from './actions.ts';

/** The button that opens the form to link a channel, for people who may link it. */
export function linkButton(about: AboutChannel = {}, label?: string): types.Button {
  const { elsewhere: channel = null } = about;
  const which = channel === null ? `this ${placeWord(about)}` : 'that channel';
  const labelled =
    label === undefined ? { label: `Link ${which}` } : { label, spoken: `${label}: ${which}` };
  return button({ action: LINK_CHANNEL, ...labelled, claim: { channel } });
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
  return ask(
    [
      line`${{ person }} linked this ${placeWord(input)}: files shared here are${now} filed in ${{ folder }}.`,
      wasFolder && line`Files already in ${{ folder: wasFolder }} stay there.`,
      announces ? announcesToo() : null,
    ],
    [linkButton({}, 'Settings')],
  );
}

/** Posted in the channel when the bot joins it after somebody linked it. */
export function linkedBefore(input: Omit<LinkedInput, 'wasFolder' | 'isDirect'>): View {
  const { folder, byUserId: person, announces } = input;
  return say(
    line`Files shared here are filed in ${{ folder }}: ${{ person }} linked this channel to it.`,
    announces ? announcesToo() : null,
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
  return say(line`${which(about)} is already linked to ${{ folder }}.`);
}

/** The private response to a change of only how much is said in each thread. */
export function linesSet({ lines }: { lines: boolean }): View {
  return say(
    lines
      ? line`Saved. Each message with files also gets a line in its thread.`
      : line`Saved. I’ll only react to messages with files, unless something needs somebody.`,
  );
}

/** The private response to unlinking a channel that is not linked. */
export function notLinked(where: Pick<Reader, 'isDirect'>): View {
  return ask([line`This ${placeWord(where)} has no folder to unlink.`], [linkButton(where)]);
}

/** The private response to `/files unlink` with further words. */
export const UNLINK_USAGE = say(
  line`Type ${{ command: '/files unlink' }} in the channel that it’s for, without further words.`,
);

const KEEP = 'Keep the folder';

function named(folder: FolderRef): string {
  return shownFolder(folder, 20, 40);
}

type ToUnlink = Omit<UnlinkedInput, 'byUserId'>;

/** Asks whether to unlink a channel: what stops, and what stays. */
export function confirmUnlink(input: ToUnlink): View {
  const { folder, fallback } = input;
  const { projectId, folderId } = folder;
  const claim = { projectId, folderId };
  const here = placeWord(input);
  const then: Line = fallback
    ? line`will go to the default folder, ${{ folder: fallback }}`
    : ['will stay in Slack only'];
  return ask(
    [line`Unlink this ${here}? New files ${then}. Those in ${{ folder }} stay there.`],
    [
      button({
        action: UNLINK,
        label: `Unlink this ${here}`,
        claim,
        style: 'danger',
      }),
      button({ action: KEEP_LINK, label: KEEP, spoken: `${KEEP}: ${named(folder)}`, claim }),
    ],
  );
}

/** Replaces that question when the answer is no. */
export const LINK_KEPT = say(['Nothing has changed.']);

/** Offers to undo what somebody has just done: a channel's link is gone. */
export function undoUnlink(input: ToUnlink & { lines: boolean; announces: boolean }): View {
  const { folder, lines, announces } = input;
  const { projectId, folderId, url = null } = folder;
  const here = placeWord(input);
  const isKept = url !== null && url.length <= MAX_FILTER_LENGTH;
  const claim = { projectId, folderId, url: isKept ? url : '', lines, announces };
  const label = 'Undo: link it again';
  return ask(
    [line`This ${here} is unlinked from ${{ folder }}.`],
    [button({ action: LINK_AGAIN, label, spoken: `${label} to ${named(folder)}`, claim })],
  );
}

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
      line`Files shared here stay in Slack only. To have one filed, share it in a channel with a folder.`,
    );
  return ask(
    [
      line`This ${placeWord(input)} has no folder yet. ${whoCanLink(input)} link it with ${{ command: '/files link' }}; earlier files can be added.`,
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
      ? line`This channel has no folder yet, so its files stay in Slack only.`
      : line`Files shared here go to the default folder, ${{ folder: fallback }}.`;
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
    line`${which(about)} is now linked to ${{ folder }}, but I’m not in it and can’t see its files.`,
    bringMeIn(about),
  );
}

/** Shown to who chooses a private channel that the bot, or the person, is not in. */
export const CHANNEL_UNSEEN = say(
  line`I can’t see that channel. ${bringMeIn({ elsewhere: '' })} Then choose it again.`,
);

/** The private response when announcements are on, but the bot is not in the channel yet. */
export function announcementsUnseen({ folder }: { folder: FolderRef }): View {
  return say(
    line`Announcements are on for ${{ folder }}, but I can’t post here: I’m not in this channel.`,
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
    ? line`I can’t be added to this conversation. Share files in a channel, or with me directly.`
    : line`I’m not in this channel, so I can’t see its files. ${bringMeIn({})}`;
}

/** The private response to linking a direct message between people: the bot can't be added. */
export const NOT_IN_CONVERSATION = say(
  line`I can’t be added to direct messages between people. Share files in a channel, or with me directly.`,
);

/** Said privately to the person who made a change, under what could not be posted. */
export function notAnnounced(about: AboutChannel): View {
  return say(line`I couldn’t post this ${hereOrIn(about)}. Please let people know.`);
}

/** A link whose folder takes no files, so that they wait. */
interface PausedLink {
  reason: FolderReason;
  folder: FolderRef;
}

function whyPaused({ reason, folder }: PausedLink, whose = 'its'): Line {
  const named = line`${whose} folder, ${{ folder }}`;
  if (reason === 'DESTINATION_GONE') return line`${named}, is gone`;
  return reason === 'SERVICE_FORBIDDEN'
    ? line`${service()} no longer lets me into ${named}`
    : line`${service()} doesn’t let me upload to the project of ${named}`;
}

/** Sent privately, once, to the person who made a paused link and may choose another folder. */
export function linkPaused({ channel, ...paused }: PausedLink & { channel: string }): View {
  return ask(
    [
      line`Files shared in ${{ channel }}, which you linked, are waiting: ${whyPaused(paused)}.`,
      [mend()[paused.reason]],
    ],
    [linkButton({ elsewhere: channel }, 'Choose another folder')],
  );
}

const mend = (): Record<FolderReason, string> => ({
  DESTINATION_GONE: 'Choose another folder, and I’ll file them there.',
  SERVICE_FORBIDDEN: `Give my user in ${service()} access again or choose another folder, and I’ll file them.`,
  SERVICE_UPLOAD_FORBIDDEN: `Let my user in ${service()} upload there or choose another folder, and I’ll file them.`,
});

/** Posted in the channel, once, when `linkPaused` cannot be sent to the person who linked it. */
export function channelPaused({ linkBy, ...paused }: PausedLink & Pick<Reader, 'linkBy'>): View {
  return say(
    line`Files shared here are waiting: ${whyPaused(paused, 'their')}. Nothing is lost.`,
    line`${ONE_WHO_LINKS[linkBy]} choose another folder with ${{ command: '/files link' }}; then I’ll file them there.`,
  );
}

/** Shown to a person who asks for the files of a channel whose link is paused. */
export function pausedHere(input: PausedLink & Omit<Reader, 'linkBy'>): View {
  return ask(
    [line`This ${placeWord(input)}’s files wait: ${whyPaused(input)}. Nothing is lost.`],
    [input.mayLink ? linkButton({}, 'Choose another folder') : null],
  );
}
