import type { types } from '@slack/bolt';
import { z } from 'zod';
import {
  emailIdOf,
  type FolderRef,
  fileName,
  folderNumber,
  type Refusal,
  type Share,
} from '../../core/index.ts';
import { CLAIMED_FOLDER } from '../kit/claims.ts';
import { namedFiles } from '../kit/file-lines.ts';
import { button, option, plain, type View } from '../kit/layout.ts';
import {
  type AboutChannel,
  ask,
  LINKERS,
  type Line,
  line,
  OTHER_WORKSPACE,
  prose,
  type Reader,
  say,
} from '../kit/prose.ts';
import { agreeing, counted, cut, joined, shownFolder, shownName } from '../kit/text.ts';
import {
  chosenIn,
  createForm,
  FOLDER_FIELD,
  type FolderForm,
  field,
  folderField,
  formPlace,
  requestOf,
} from '../link/folder-form-view.ts';
import { readChoice } from '../link/search-options.ts';
import { SAVE_AGAIN, type SaveAgainClaim } from './actions.ts';

/** The `action_id` of the folders to pick from. */
export const SAVE_PICK = 'save_pick';

const filesOfMessage = formPlace.pick({ channel: true }).extend({
  ts: z.string().regex(/^\d{1,20}(\.\d{1,20})?$/),
  threadTs: z.string().nullable(),
  /** Slack ID of the person who shared them; null when Slack does not say. */
  sharedBy: z.string().nullable(),
  /** Slack IDs of all files. */
  files: z.array(z.string().min(1)).min(1),
  /** The names of the first few. */
  names: z.array(z.string()),
});

/** A message’s files in the form's `private_metadata`, which Slack limits to 3,000 characters. */
export type FilesToSave = z.infer<typeof filesOfMessage>;

const MAX_FILES = 80;
const MAX_ID_LENGTH = 15;
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;

/** Returns a message's files for the form's `private_metadata`; null when they do not fit in it. */
export function filesToSave(share: Share): FilesToSave | null {
  const { channel, ts, threadTs, userId: sharedBy } = share;
  // An email brings its attachments: the worker takes them from Slack.
  const files = share.files.filter(({ id }) => emailIdOf(id) === id);
  if (files.length > MAX_FILES || files.some(({ id }) => id.length > MAX_ID_LENGTH)) return null;
  const names = files
    .slice(0, MAX_NAMES)
    .map((file) => shownName(fileName(file), { max: MAX_NAME_LENGTH }));
  return { channel, ts, threadTs, sharedBy, files: files.map(({ id }) => id), names };
}

const pick = z.object({
  ...CLAIMED_FOLDER,
  why: z.enum(['last', 'channel']),
  label: z.string(),
});

/** A folder that the form offers first: where the person saved last, or the channel’s own. */
export type FolderPick = z.infer<typeof pick>;

const MAX_LABEL_LENGTH = 70;
const WHY_PICKED: Record<FolderPick['why'], string> = {
  last: 'Where you saved last',
  channel: 'Where files shared here go',
};

export function folderPick(why: FolderPick['why'], folder: FolderRef): FolderPick {
  const { projectId, folderId } = folder;
  return { why, projectId, folderId, label: cut(shownFolder(folder, 30), MAX_LABEL_LENGTH) };
}

const carried = formPlace.extend({ ...filesOfMessage.shape, picks: z.array(pick) });

/** What somebody has chosen so far. */
export interface SaveForm extends FolderForm, z.infer<typeof carried> {
  /** The chosen pick's folder as its folderNumber; null when none is chosen. */
  picked: string | null;
}

function intro({ files, names }: SaveForm): Line {
  const shown = names.map((name) => ({ name }));
  const named = namedFiles(shown, files.length, names.length);
  return line`${counted(files.length, 'file')}: ${named}.`;
}

function pickField({ picks, picked }: SaveForm): types.InputBlock[] {
  const options = picks.map(({ why, label, ...folder }) => ({
    ...option(label, folderNumber(folder)),
    description: plain(WHY_PICKED[why], 75),
  }));
  const [first] = options;
  if (!first) return [];
  const initial = options.find(({ value }) => value === picked) ?? first;
  const radio = {
    type: 'radio_buttons' as const,
    action_id: SAVE_PICK,
    options,
    initial_option: initial,
  };
  return [field('pick', 'Save to', { optional: false, element: radio })];
}

/** The form that saves a message's files to a folder: one of the picks, or any other. */
export const SAVE_FORM = createForm({
  callbackId: 'save_files',
  title: 'Save files',
  submit: 'Save',
  carried,
  readOwn: (fields, { picks }) => {
    const [value, other] = [chosenIn(fields[SAVE_PICK]), chosenIn(fields[FOLDER_FIELD])];
    // Who chose an option that stands for no folder did not mean the pick that the form begins with.
    const isPick = other === null || readChoice(other) !== null;
    const isOffered = picks.some((one) => folderNumber(one) === value);
    return { picked: isPick && isOffered ? value : null };
  },
  blocks: (form) => [
    prose(intro(form)),
    ...pickField(form),
    ...(form.picks.length > 0
      ? folderField(form, { label: 'Or another folder', optional: true })
      : folderField(form)),
  ],
  // A folder chosen in the field takes precedence over a pick.
  requestOf: (form) => requestOf(form) ?? (form.picked === null ? null : { typed: form.picked }),
  checking: [
    line`Checking the folder and the files…`,
    line`You can close this: I’ll tell you if they can’t be saved. If you hear nothing within a minute, try again; nothing is saved twice.`,
  ],
  done: ['Done.'],
});

/** The private response for a message with more files than the form can carry. */
export function tooManyToSave({ count }: { count: number }): View {
  return say([
    `I can save up to ${MAX_FILES} files of one message; this has ${counted(count, 'file')}. Share them in several messages.`,
  ]);
}

interface SavedInput extends AboutChannel {
  folder: FolderRef;
  /** How many files are on the way there by this. */
  saved: number;
  /** How many were there already, or on the way. */
  there: number;
  /** How many are not there, and were deleted in Slack. */
  gone: number;
  /** Names of those that were there before and were removed. */
  removed: readonly string[];
  /** What saves the removed ones again. */
  claim: SaveAgainClaim;
}

/** Shown to the person who saved files. Asks before it saves again what was removed. */
export function savedFiles(input: SavedInput): View {
  const { folder, saved, there, gone, removed, claim, elsewhere } = input;
  const from = elsewhere === undefined ? '' : line` from ${{ channel: elsewhere }}`;
  const { are } = agreeing(there);
  const files = removed.map((name) => ({ name }));
  const spoken = `File again: ${joined(
    removed.slice(0, 2).map((name) => shownName(name, { max: 25 })),
    ', ',
  )}`;
  return ask(
    [
      saved === 0
        ? null
        : line`Saving ${counted(saved, 'file')}${from} to ${{ folder }}; I’ll confirm in the thread or by direct message.`,
      there === 0
        ? null
        : line`${counted(there, 'file')}${saved === 0 ? from : ''} ${are} already in ${{ folder }}, or on the way.`,
      gone === 0 ? null : [`${counted(gone, 'file')} ${agreeing(gone).were} deleted in Slack.`],
      removed.length === 0
        ? null
        : line`Removed from ${{ folder }} before, so left out: ${namedFiles(files)}.`,
    ],
    [
      removed.length === 0
        ? null
        : button({ action: SAVE_AGAIN, label: 'File again', claim, spoken }),
    ],
  );
}

/** Shown to a person who saves again what was removed; `saved`: how many files. */
export function savedAgain({ saved }: { saved: number }): View {
  if (saved === 0) return say(['Already there, or on the way.']);
  return say([
    `Saving ${counted(saved, 'file')} again. I’ll confirm in the thread or by direct message.`,
  ]);
}

function these(count: number): string {
  return count === 1 ? 'This file' : 'These files';
}

/** Why files are not saved: the person may not save them, or Slack does not provide them. */
export type SaveRefusal = Refusal | 'unreadable' | 'deleted';

interface SaveRefusedInput extends Pick<Reader, 'linkBy' | 'isDirect'> {
  reason: SaveRefusal;
  /** How many files. */
  count: number;
}

/** The reason why files are not saved, beside a field of the form. */
export function saveRefusal({ reason, count, isDirect, linkBy }: SaveRefusedInput): Line {
  const { were, they, them } = agreeing(count);
  if (reason === 'other-workspace') return [OTHER_WORKSPACE];
  if (reason === 'deleted') return [`${these(count)} ${were} deleted in Slack.`];
  if (reason !== 'unreadable')
    return [`Only ${LINKERS[linkBy]} can save files to a folder. Ask one of them.`];
  if (isDirect)
    return [
      `I can’t read this conversation. Send me ${these(count).toLowerCase()} directly, and save ${them} from there.`,
    ];
  return line`Add me to this channel with ${{ command: '/invite' }}, then try again. I can’t read ${these(count).toLowerCase()}, or ${they} ${were} deleted.`;
}

/** The private response when files are not saved. */
export function saveRefused(input: SaveRefusedInput): View {
  return say(saveRefusal(input));
}

/** The private response when Slack does not open the form. */
export const SAVE_NOT_OPENED = say([
  'Slack didn’t open the form. Choose “Save files to a folder” once more.',
]);
