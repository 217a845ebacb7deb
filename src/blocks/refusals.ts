import type { Refusal } from '../transfers/index.ts';
import {
  type AboutChannel,
  type Line,
  line,
  type Operator,
  say,
  type View,
  withOperator,
} from './prose.ts';
import { LINKERS, type LinkRule, OTHER_WORKSPACE } from './reader.ts';
import { agreeing, counted, shownSpan } from './text.ts';

/** For each refused change: what was not done, and who may do it. */
const CHANGES = {
  unlink: [
    'Nothing was changed.',
    'Only {linkers} can unlink a channel. Ask one of them to type /files unlink here.',
  ],
  announce: [
    'Nothing was changed.',
    'Only {linkers} can turn announcements on or off. Ask one of them.',
  ],
  'file-earlier': [
    'The earlier files weren’t filed.',
    'Only {linkers} can have earlier files filed. Ask one of them.',
  ],
  'stop-filing': [
    'Filing is still running.',
    'Only the person who started it or a workspace admin can stop it. Ask one of them.',
  ],
  retry: [
    'The files weren’t tried again.',
    'Only the person who shared them or a full member of this workspace can do that. Ask one of them to press the button.',
  ],
  skip: ['The files weren’t skipped.', 'Only {linkers} can leave files in Slack. Ask one of them.'],
} as const;

/** A change that Pigeonhole may refuse to a person. */
export type RefusedChange = keyof typeof CHANGES;

interface ChangeRefusedInput extends LinkRule {
  change: RefusedChange;
  reason: Refusal;
}

/** The private response to a change of a channel's filing that this person may not make. */
export function changeRefused({ change, reason, linkBy }: ChangeRefusedInput): View {
  const [notDone, whoMay] = CHANGES[change];
  const isOutside = reason === 'other-workspace';
  const why = isOutside ? OTHER_WORKSPACE : whoMay.replace('{linkers}', LINKERS[linkBy]);
  return say([`${notDone} ${why}`]);
}

/** The private response to Retry, Try now or Check now when the files are in progress or done. */
export const NOTHING_TO_RETRY = say([
  'There’s nothing to try again: these files are being filed right now, or done.',
]);

/** The notice above a refreshed list of what needs attention: the files are tried again. */
export function retriedAll({ count }: { count: number }): View {
  return count === 0 ? NOTHING_TO_RETRY : say([`Trying ${counted(count, 'file')} again.`]);
}

/** The same: the files are left in Slack. */
export function skippedAll({ count }: { count: number }): View {
  if (count === 0)
    return say([
      'Nothing was skipped: these files are being sent right now, or may already be in the folder.',
    ]);
  return say([`${counted(count, 'file')} ${agreeing(count).stay} in Slack only.`]);
}

/** The private response to `/folders` for guests, and for people of other workspaces. */
export const MEMBERS_ONLY = say(
  line`Only full members of this workspace can look through the account’s folders: guests and people from other workspaces only see the folders of their channels.`,
  line`For the files in this channel’s folder, type ${{ command: '/files' }}.`,
);

/** The private response to any request from a deactivated account or a bot. */
export const NOT_FOR_ACCOUNTS = say(
  line`Deactivated accounts and bots can’t use Pigeonhole. If this account is yours, ask a workspace admin to activate it.`,
);

/** The private response to a person over their personal quota; `waitMs`: milliseconds to wait. */
export function slowDown(input: { waitMs: number }): View {
  return say(slowDownLine(input));
}

/** The same beside a field of a form. */
export function slowDownLine({ waitMs }: { waitMs: number }): Line {
  return line`I’m still working on your earlier requests. Try again in ${shownSpan(waitMs)}.`;
}

/** Shown beside a field of a private channel's form when the person has since left the channel. */
export function leftLine({ elsewhere: channel }: AboutChannel = {}): Line {
  const which = channel === undefined ? 'this channel' : { channel };
  return line`You’re not in ${which} any more, so nothing was done.`;
}

/** The private response to a button for another channel that the person may not know about. */
export function leftChannel(about: AboutChannel): View {
  return say(leftLine(about));
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
  return say(line`This button is out of date. Type ${{ command }} for a fresh list.`);
}

/**
 * Why a person may not delete a file; `saved-by-other`: another person saved it by hand;
 * `elsewhere`: it is not one of this channel's files.
 */
type DeleteRefusal = Refusal | 'saved-by-other' | 'elsewhere';

const MAY_NOT_DELETE: Record<DeleteRefusal, string> = {
  'not-allowed': 'Only the person who shared it or a workspace admin can. Ask one of them.',
  'saved-by-other':
    'Only the person who saved it to this folder or a workspace admin can. Ask one of them.',
  guest: 'Guests can’t delete files. Ask a workspace admin.',
  'other-workspace': OTHER_WORKSPACE,
  elsewhere: 'It isn’t one of this channel’s files. Type /files to see those.',
};

/** The private response to a delete that this person may not make; `name` null: kept from them. */
export function deleteRefused(refused: { reason: DeleteRefusal; name: string | null }): View {
  const { reason, name } = refused;
  const file = name === null ? 'this file' : { file: name };
  return say(line`You can’t delete ${file}. ${MAY_NOT_DELETE[reason]}`);
}

/** The notice above a refreshed list: the file is deleted. */
export function fileDeleted({ name: file }: { name: string }): View {
  return say(line`Deleted ${{ file }}.`);
}

/** The notice above a refreshed list: the file was already gone; `name` null when unknown. */
export function deleteGone({ name }: { name: string | null }): View {
  const file = name === null ? 'The file' : { file: name };
  return say(line`${file} had already been deleted.`);
}

/** The private response to a delete that the service refuses. */
export function deleteForbidden({ name, operator }: { name: string; operator: Operator }): View {
  const ask = withOperator('Contact {operator} for access to it', operator);
  return say(
    line`${{ file: name }} wasn’t deleted: the file service doesn’t let me delete files in this folder. ${ask}, or delete the file in the file service yourself.`,
  );
}
