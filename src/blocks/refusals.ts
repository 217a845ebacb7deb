import type { Refusal } from '../transfers/index.ts';
import type { View } from './layout.ts';
import { linkButton } from './link-messages.ts';
import {
  type AboutChannel,
  ask,
  LINKERS,
  type Line,
  line,
  OTHER_WORKSPACE,
  placeWord,
  type Reader,
  say,
} from './prose.ts';
import { cleanText, shownSpan } from './text.ts';

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

interface ChangeRefusedInput extends Pick<Reader, 'linkBy'> {
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

/** The private response to `/folders` for guests, and for people of other workspaces. */
export function membersOnly(where: AboutChannel): View {
  return say(
    line`Only full members of this workspace can look through the account’s folders: guests and people from other workspaces see only the folders of their channels.`,
    line`For the files in this ${placeWord(where)}’s folder, type ${{ command: '/files' }}.`,
  );
}

/** The private response to any request from a deactivated account or a bot. */
export const NOT_FOR_ACCOUNTS = say(
  line`Deactivated accounts and bots can’t use Pigeonhole. If this account is yours, ask a workspace admin to activate it.`,
);

/** For a person over their personal quota; `waitMs`: milliseconds to wait. */
export function slowDown({ waitMs }: { waitMs: number }): Line {
  return line`That’s more than I can do at once. Try again in ${shownSpan(waitMs)}.`;
}

/** For a person who may not act on a channel, or not any more, as they are not in it. */
export function leftChannel({ elsewhere: channel }: AboutChannel = {}): Line {
  const which = channel === undefined ? 'this channel' : { channel };
  return line`You’re not in ${which} any more, so nothing was done.`;
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

const HOW_TO_LINK = { command: '/files link <project>/<folder>' };
const EXAMPLE = { command: '/files link 12/345' };
const USE_FOLDERS = line`${{ command: '/folders' }} shows the folders with a button for each.`;

/** Why a channel is not linked to the folder that somebody named. */
export type LinkRefusal =
  | Refusal
  | 'no-such-folder'
  | 'forbidden'
  | 'unreadable-target'
  /** Longer than any address or path of folders: see MAX_ADDRESS_LENGTH. */
  | 'too-long'
  | 'ambiguous-name'
  /** The account does not list the names of its folders. */
  | 'no-names'
  /** The name is not among those that could be read, and there may be more. */
  | 'not-all-read'
  /** A name without a project, when there are too many projects to search. */
  | 'which-project'
  /** A name that a project has, and no folder that could be searched. */
  | 'only-a-project'
  /** A web address outside the account. */
  | 'other-address';

// Whole, so that it can be copied.
function linkCommand(target: string) {
  return { command: cleanText(`/files link ${target}`) };
}

interface LinkAsker extends Pick<Reader, 'linkBy' | 'isDirect'> {
  /** Whether it is read beside a field of a form, where no command can be typed. */
  inForm: boolean;
}

const TYPE_NUMBERS = line`Type the numbers of the project and the folder, for example ${EXAMPLE}.`;
const NUMBERS_FROM_ADDRESS = line`${TYPE_NUMBERS} They’re in the folder’s web address.`;
const PASTE_OR_TYPE =
  'Paste it from the browser, or type the numbers of the project and the folder, like 12/345.';
const PASTE_ADDRESS = 'Paste the folder’s web address from the browser.';

const MAY_NOT_LINK: Record<LinkRefusal, (typed: string, asked: LinkAsker) => Line> = {
  'not-allowed': (typed, { isDirect }) =>
    isDirect
      ? line`Only workspace admins can link their direct messages with me. Share files in a linked channel instead.`
      : line`Only workspace admins can choose a channel’s folder. Ask one of them to type ${linkCommand(typed)} here.`,
  guest: (_typed, { linkBy }) => [
    `Only ${LINKERS[linkBy]} can choose a channel’s folder. Ask one of them.`,
  ],
  'other-workspace': () => [OTHER_WORKSPACE],
  'no-such-folder': (typed) => line`There’s no folder ${{ typed }} in the file service.`,
  forbidden: (typed) =>
    line`The file service doesn’t let me use the folder ${{ typed }}. Ask for access to it, or choose another.`,
  'unreadable-target': (typed, { inForm }) =>
    inForm
      ? line`That isn’t a folder’s address. ${PASTE_OR_TYPE}`
      : line`I don’t recognize ${{ typed }} as a folder. ${TYPE_NUMBERS}`,
  'too-long': (_typed, { inForm }) =>
    line`That’s too long for a folder’s address. ${inForm ? PASTE_OR_TYPE : NUMBERS_FROM_ADDRESS}`,
  'no-names': (typed, { inForm }) =>
    line`The file service doesn’t tell me the names of its folders, so I can’t look for ${{ typed }}. ${inForm ? PASTE_ADDRESS : NUMBERS_FROM_ADDRESS}`,
  'not-all-read': (typed, { inForm }) =>
    line`I couldn’t read all the folder names, and ${{ typed }} isn’t among those I read. ${inForm ? PASTE_ADDRESS : NUMBERS_FROM_ADDRESS}`,
  'which-project': (typed, { inForm }) =>
    inForm
      ? line`There are many projects. Type the name of the one that the folder is in before it: ${{ typed: `<project>/${typed}` }}.`
      : line`There are many projects. Say which one ${{ typed }} is in: ${linkCommand(`<project>/${typed}`)}.`,
  'only-a-project': (typed, { inForm }) =>
    inForm
      ? line`${{ typed }} is a project. Type the name of a folder in it after that: ${{ typed: `${typed}/<folder>` }}.`
      : line`${{ typed }} is a project. Say which folder in it: ${linkCommand(`${typed}/<folder>`)}.`,
  'other-address': (typed) =>
    line`${{ typed }} isn’t an address in the file service’s account. Open the folder there and copy its web address.`,
  'ambiguous-name': (typed, { inForm }) =>
    inForm
      ? line`There’s more than one folder called ${{ typed }}. Paste its web address from the browser.`
      : line`There’s more than one folder called ${{ typed }}. Choose it by its number, for example ${EXAMPLE}.`,
};

/** Refusals where a list of folders does not help. */
const OF_ANY_FOLDER: LinkRefusal[] = [
  ...(['not-allowed', 'guest', 'other-workspace', 'no-names', 'not-all-read'] as const),
];

interface LinkRefusedInput extends Omit<LinkAsker, 'inForm'> {
  reason: LinkRefusal;
  typed: string;
}

/** The private response to a refused link; `typed`: the folder as the person typed it. */
export function linkRefused({ reason, typed, ...asker }: LinkRefusedInput): View {
  const why = MAY_NOT_LINK[reason](typed, { ...asker, inForm: false });
  const next = OF_ANY_FOLDER.includes(reason) ? '' : line` ${USE_FOLDERS}`;
  return say(line`Nothing was changed. ${why}${next}`);
}

/** The same beside a field of a form. */
export function linkRefusal({ reason, typed, ...asker }: LinkRefusedInput): Line {
  return MAY_NOT_LINK[reason](typed, { ...asker, inForm: true });
}

/** The private response when Slack does not open the form that chooses a channel's folder. */
export function linkUsage(about: AboutChannel): View {
  const { elsewhere: channel } = about;
  const whose = channel === undefined ? '' : line` for ${{ channel }}`;
  const how = channel === undefined ? 'say' : 'type there';
  return ask(
    [
      line`Slack didn’t let me open the form to choose a folder${whose}. Press the button to try again, or ${how} which folder: ${HOW_TO_LINK}, by numbers or names, for example ${EXAMPLE} or ${{ command: '/files link Project/Folder' }}.`,
      line`You can also give the folder’s web address. ${USE_FOLDERS}`,
    ],
    [linkButton(about)],
  );
}
