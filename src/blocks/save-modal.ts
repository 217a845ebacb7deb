import type { types } from '@slack/bolt';
import { z } from 'zod';
import { type FolderRef, folderNumber, type Share } from '../transfers/index.ts';
import {
  chosenIn,
  conversationId,
  createForm,
  type FolderForm,
  field,
  fieldsOf,
  folderFields,
  readFolderForm,
  readMetadata,
  requestOf,
} from './folder-form.ts';
import { plain } from './layout.ts';
import { type Line, line, prose, say, shownFolder, type View } from './prose.ts';
import { option } from './search-options.ts';
import { counted, cut, shownName, shownNumber } from './text.ts';

/** The `action_id` of the folders to pick from. */
export const SAVE_PICK = 'save_pick';

const filesOfMessage = z.object({
  channel: conversationId,
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
    .map(({ name, title }) => shownName(name ?? title ?? '', { max: MAX_NAME_LENGTH }));
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
  channel: 'This channel’s folder',
};

/** Returns a folder as a pick. */
export function folderPick(why: FolderPick['why'], folder: FolderRef): FolderPick {
  const { projectId, folderId } = folder;
  return { why, projectId, folderId, label: cut(shownFolder(folder, 30), MAX_LABEL_LENGTH) };
}

/** What somebody has chosen so far. */
export interface SaveForm extends FolderForm {
  message: FilesToSave;
  picks: FolderPick[];
  /** The chosen pick's folder as its folderNumber; null when none is chosen. */
  picked: string | null;
}

function intro({ message: { files, names }, picks, isListed }: SaveForm): Line {
  const named = names.flatMap((file, index) => (index === 0 ? [{ file }] : [', ', { file }]));
  const more = files.length - names.length;
  const rest = more > 0 ? ` and ${shownNumber(more)} more` : '';
  const offered = picks.length === 1 ? 'this folder' : 'one of these folders';
  const other = picks.length > 0 ? ` Save to ${offered}, or choose another below.` : '';
  const unlisted = isListed ? '' : ' The file service doesn’t list its projects here.';
  return line`${counted(files.length, 'file')}: ${named}${rest}.${other}${unlisted}`;
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

const metadata = filesOfMessage.extend({ picks: z.array(pick) });

/** The form that saves a message's files to a folder: one of the picks, or any other. */
export const SAVE_FORM = createForm<SaveForm>({
  callbackId: 'save_files',
  title: 'Save files',
  submit: 'Save',
  blocks: (form) => [
    prose(intro(form)),
    ...pickField(form),
    ...folderFields(form, { hasPicks: form.picks.length > 0 }),
  ],
  metadata: ({ message, picks }) => ({ ...message, picks }),
  read: (sent) => {
    const carried = readMetadata(sent, metadata);
    if (!carried) return null;
    const { picks, ...message } = carried;
    const value = chosenIn(fieldsOf(sent)[SAVE_PICK]);
    const isPick = picks.some((one) => folderNumber(one) === value);
    return { message, picks, picked: isPick ? value : null, ...readFolderForm(sent) };
  },
  // A folder chosen in the fields takes precedence over a pick.
  requestOf: (form) => {
    const isOther = form.address !== '' || form.project !== null;
    return !isOther && form.picked !== null ? { typed: form.picked } : requestOf(form, null);
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
