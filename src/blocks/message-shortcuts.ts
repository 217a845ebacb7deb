import type { types } from '@slack/bolt';
import { z } from 'zod';
import {
  type FolderRef,
  fileName,
  folderNumber,
  type Refusal,
  type Share,
} from '../transfers/index.ts';
import { namedFiles } from './file-lines.ts';
import {
  chosenIn,
  createForm,
  type FolderForm,
  field,
  folderFields,
  formPlace,
  requestOf,
} from './folder-form.ts';
import { option, plain, stacked, type View } from './layout.ts';
import {
  type AboutChannel,
  LINKERS,
  type Line,
  line,
  OTHER_WORKSPACE,
  placeWord,
  prose,
  type Reader,
  say,
  whoCanLink,
} from './prose.ts';
import { agreeing, counted, cut, isUserId, shownFolder, shownName } from './text.ts';

/** More lines than this are left out: Slack limits the blocks of a message. */
const MAX_LINES = 15;

/**
 * The private response to “Where is this filed?” on a message: the lines of its shares, one for each
 * folder (see shareLine), and the Slack ID of who shared the files, null when Slack did not say it.
 */
export function whereFiled(of: { lines: readonly View[]; sharedBy: string | null }): View {
  const { lines, sharedBy } = of;
  const whose = isUserId(sharedBy) ? say(line`Shared by ${{ person: sharedBy }}.`) : null;
  return stacked(...lines.slice(0, MAX_LINES), whose);
}

/** The same for a message without a recorded share. */
export function notSeen(reader: Reader): View {
  return say([
    `I haven’t filed anything from this message: it was shared before this ${placeWord(reader)} had a folder, or where I’m not a member. ${whoCanLink(reader)} save its files with “Save files to a folder” in the message’s menu.`,
  ]);
}

/** The private response to either shortcut on a message without files. */
export const WITHOUT_FILES = say(['This message has no files.']);

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
  const { channel, ts, threadTs, userId: sharedBy, files } = share;
  if (files.length > MAX_FILES || files.some(({ id }) => id.length > MAX_ID_LENGTH)) return null;
  const names = files
    .slice(0, MAX_NAMES)
    .map((file) => shownName(fileName(file), { max: MAX_NAME_LENGTH }));
  return { channel, ts, threadTs, sharedBy, files: files.map(({ id }) => id), names };
}

const id = z.int().positive();
const pick = z.object({
  projectId: id,
  folderId: id,
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

function intro({ files, names, picks, isListed }: SaveForm): Line {
  const shown = names.map((name) => ({ name }));
  const named = namedFiles(shown, files.length, names.length);
  const offered = picks.length === 1 ? 'this folder' : 'one of these folders';
  const listed = isListed ? ' Choose a project and a folder, or paste the folder’s address.' : '';
  const how = picks.length > 0 ? ` Save to ${offered}, or choose another below.` : listed;
  const unlisted = isListed ? '' : ' The file service doesn’t list its projects here.';
  return line`${counted(files.length, 'file')}: ${named}.${how}${unlisted}`;
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
  return [field('pick', 'Save to', { element: radio })];
}

/** The form that saves a message's files to a folder: one of the picks, or any other. */
export const SAVE_FORM = createForm({
  callbackId: 'save_files',
  title: 'Save files',
  submit: 'Save',
  carried,
  readOwn: (fields, { picks }) => {
    const value = chosenIn(fields[SAVE_PICK]);
    return { picked: picks.some((one) => folderNumber(one) === value) ? value : null };
  },
  blocks: (form) => [
    prose(intro(form)),
    ...pickField(form),
    ...folderFields(form, { hasPicks: form.picks.length > 0 }),
  ],
  // A folder chosen in the fields takes precedence over a pick.
  requestOf: (form) => {
    const isOther = form.address !== '' || form.project !== null;
    return !isOther && form.picked !== null ? { typed: form.picked } : requestOf(form);
  },
  checking: [
    line`Checking the folder and the files…`,
    line`You can close this: I’ll tell you if they can’t be saved. If you hear nothing within a minute, try again; nothing is saved twice.`,
  ],
  done: ['Done.'],
});

/** The private response for a message with more files than the form can carry. */
export function tooManyToSave({ count }: { count: number }): View {
  return say([
    `This message has ${counted(count, 'file')}: I can save up to ${MAX_FILES} of one message at a time. Share them in several messages, or in a channel that’s linked to the folder.`,
  ]);
}

interface SavingInput extends AboutChannel {
  /** How many files. */
  count: number;
  folder: FolderRef;
}

/** Shown to the person who saved files. */
export function saving({ count, folder, elsewhere }: SavingInput): View {
  const { are, theyAre } = agreeing(count);
  const files = elsewhere === undefined ? counted(count, 'file') : filesOf(count, elsewhere);
  return say(
    line`${files} ${are} on the way to ${{ folder }}. The message’s thread will say when ${theyAre} there; where I can’t post, I’ll tell you directly.`,
  );
}

/** The same for files that are already there or on their way; failed ones are tried again. */
export function alreadySaved({ count, folder, elsewhere }: SavingInput): View {
  const files = elsewhere === undefined ? these(count) : filesOf(count, elsewhere);
  const failed = count === 1 ? 'If it failed before, it’s' : 'Any that failed before are';
  return say(
    line`${files} ${agreeing(count).are} already in ${{ folder }}, or on the way there. Nothing is saved twice. ${failed} being tried again.`,
  );
}

function these(count: number): string {
  return count === 1 ? 'This file' : 'These files';
}

function filesOf(count: number, channel: string): Line {
  return line`${counted(count, 'file')} shared in ${{ channel }}`;
}

/**
 * Why files are not saved: the person may not save them; Slack does not provide them; or `left`:
 * they were saved to the folder before, and then deleted there or skipped.
 */
export type SaveRefusal = Refusal | 'unreadable' | 'deleted' | 'left';

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
  if (reason === 'left')
    return [
      `${these(count)} ${were} saved to the folder before, and deleted or skipped since. To have ${them} there after all, share ${them} again and save that message.`,
    ];
  if (reason !== 'unreadable')
    return [`Only ${LINKERS[linkBy]} can save files to a folder. Ask one of them.`];
  const next = isDirect
    ? line`Send ${them} to me in a direct message, or share ${them} in a channel that I’m in, and save ${them} from there.`
    : line`Add me to this channel with ${{ command: '/invite' }}, then try again.`;
  return line`Slack doesn’t give me ${these(count).toLowerCase()}: I’m not in this conversation, or ${they} ${were} deleted. ${next}`;
}

/** The private response when files are not saved. */
export function saveRefused(input: SaveRefusedInput): View {
  return say(line`Nothing was saved. ${saveRefusal(input)}`);
}

/** The private response when Slack does not open the form. */
export const SAVE_NOT_OPENED = say([
  'Slack didn’t let me open the form to choose a folder. Choose “Save files to a folder” in the message’s menu once more.',
]);
