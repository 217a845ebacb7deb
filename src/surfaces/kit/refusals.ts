import type { Refusal } from '../../core/index.ts';
import type { View } from './layout.ts';
import {
  type AboutChannel,
  LINKERS,
  type Line,
  line,
  OTHER_WORKSPACE,
  placeWord,
  type Reader,
  say,
} from './prose.ts';

/** For each refused change: who may do it. */
const CHANGES = {
  unlink: 'Only {linkers} can unlink a channel. Ask one of them.',
  announce: 'Only {linkers} can turn announcements on or off. Ask one of them.',
  'file-earlier': 'Only {linkers} can have earlier files filed. Ask one of them.',
  'stop-filing': 'Only the person who started it or a workspace admin can stop it.',
  retry: 'Only the person who shared them or a full member of this workspace can do that.',
  skip: 'Only {linkers} can leave other people’s files in Slack. Ask one of them.',
} as const;

/** A change that Pigeonhole may refuse to a person. */
export type RefusedChange = keyof typeof CHANGES;

interface ChangeRefusedInput extends Pick<Reader, 'linkBy'> {
  change: RefusedChange;
  reason: Refusal;
}

/** The private response to a change of a channel's filing that this person may not make. */
export function changeRefused({ change, reason, linkBy }: ChangeRefusedInput): View {
  if (reason === 'other-workspace') return say([OTHER_WORKSPACE]);
  return say([CHANGES[change].replace('{linkers}', LINKERS[linkBy])]);
}

/** The private response to `/folders` for guests, and for people of other workspaces. */
export function membersOnly(where: AboutChannel): View {
  return say(
    line`Only full members of this workspace can look through all folders.`,
    line`For the files in this ${placeWord(where)}’s folder, type ${{ command: '/files' }}.`,
  );
}

/** The private response to any request from a deactivated account or a bot. */
export const NOT_FOR_ACCOUNTS = say(line`Deactivated accounts and bots can’t use Pigeonhole.`);

/** For a person who may not act on a channel, or not any more, as they are not in it. */
export function leftChannel({ elsewhere: channel }: AboutChannel = {}): Line {
  const which = channel === undefined ? 'this channel' : { channel };
  return line`You’re not in ${which} any more.`;
}

/** Shown to a person who acts from elsewhere on a channel that they have left, or that I have. */
export function outOfSight(channel: string): Line {
  return line`I can’t see from here that you’re in ${{ channel }}. Try again there.`;
}

/** Shown privately while a slow command is still running. */
export const LOOKING = say(['This takes a moment. The answer comes in a new message.']);

/** Follows `LOOKING` when the result shows in the channel. */
export const DONE = say(['Done.']);

/** Follows `LOOKING` when a form to choose a folder has opened. */
export const FORM_OPENED = say(['Choose a folder in the form.']);

/**
 * The private response to a button whose value is invalid or no longer applies; `command`: shows
 * such buttons.
 */
export function buttonOutOfDate({ command = '/files' } = {}): View {
  return say(line`That button is out of date. Type ${{ command }} for a fresh list.`);
}

/** The private response to either shortcut on a message without files. */
export const WITHOUT_FILES = say(['This message has no files.']);
