import type { types } from '@slack/bolt';
import { z } from 'zod';
import { type FolderRef, folderNumber, type Share } from '../transfers/index.ts';
import {
  chosenIn,
  type FolderForm,
  type FolderWish,
  type FormProblem,
  fieldsOf,
  folderFields,
  type Modal,
  readFolderForm,
  readMetadata,
  type SentForm,
  wishOf,
} from './folder-form.ts';
import { type Block, plain } from './layout.ts';
import { type Line, line, prose, say, shownFolder, type View } from './prose.ts';
import { option } from './search-options.ts';
import { counted, cut, shownName, shownNumber } from './text.ts';

/** The `callback_id` of the form. */
export const SAVE_MODAL = 'save_files';

/** The `action_id` of the folders to pick from. */
export const SAVE_PICK = 'save_pick';

const filesOfMessage = z.object({
  channel: z.string().regex(/^[CDG][A-Z0-9]+$/),
  ts: z.string().regex(/^\d{1,20}(\.\d{1,20})?$/),
  threadTs: z.string().nullable(),
  /** Slack's identifier of who shared them; null where it does not say. */
  sharedBy: z.string().nullable(),
  /** Slack's identifiers of all files. */
  files: z.array(z.string().min(1)).min(1),
  /** The names of the first few. */
  names: z.array(z.string()),
});

/** A message’s files, as the form carries them: Slack keeps 3,000 characters with it. */
export type FilesToSave = z.infer<typeof filesOfMessage>;

const MOST_FILES = 80;
const LONGEST_ID = 15;
const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** The files of a message as a form carries them; null where they are too many for one. */
export function filesToSave(share: Share): FilesToSave | null {
  const { channel, ts, threadTs, userId: sharedBy, files } = share;
  if (files.length > MOST_FILES || files.some(({ id }) => id.length > LONGEST_ID)) return null;
  const names = files
    .slice(0, MOST_NAMES)
    .map(({ name, title }) => shownName(name ?? title ?? '', { max: LONGEST_NAME }));
  return { channel, ts, threadTs, sharedBy, files: files.map(({ id }) => id), names };
}

const id = z.int().positive();
const pick = z.object({
  projectId: id,
  folderId: id,
  why: z.enum(['last', 'channel']),
  label: z.string(),
});

/** A folder that is offered before all others: where the person saved last, or the channel’s own. */
export type FolderPick = z.infer<typeof pick>;

const LONGEST_LABEL = 70;
const WHY_PICKED: Record<FolderPick['why'], string> = {
  last: 'Where you saved last',
  channel: 'This channel’s folder',
};

/** A folder to pick. */
export function folderPick(why: FolderPick['why'], folder: FolderRef): FolderPick {
  const { projectId, folderId } = folder;
  return { why, projectId, folderId, label: cut(shownFolder(folder, 30), LONGEST_LABEL) };
}

/** What somebody has chosen so far. */
export interface SaveForm extends FolderForm {
  message: FilesToSave;
  picks: FolderPick[];
  /** Which of the picks is chosen, as its number; null for none. */
  picked: string | null;
}

/** The form that saves the files of a message to a folder: one that is offered, or any other. */
export function saveModal(input: SaveForm): Modal {
  const { message, picks } = input;
  const blocks = [prose(intro(input)), ...pickField(input), ...folderFields(input)];
  return {
    ...modal(blocks, 'Cancel'),
    callback_id: SAVE_MODAL,
    private_metadata: JSON.stringify({ ...message, picks }),
    submit: plain('Save', 24),
  };
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

function modal(blocks: Block[], close: string): Modal {
  return { type: 'modal', title: plain('Save files', 24), close: plain(close, 24), blocks };
}

function pickField({ picks, picked }: SaveForm): types.InputBlock[] {
  const options = picks.map(({ why, label, ...folder }) => ({
    ...option(label, folderNumber(folder)),
    description: plain(WHY_PICKED[why], 75),
  }));
  const [first] = options;
  if (!first) return [];
  const initial = options.find(({ value }) => value === picked) ?? first;
  return [
    {
      type: 'input',
      block_id: 'pick',
      optional: true,
      label: plain('Save to', 50),
      element: {
        type: 'radio_buttons',
        action_id: SAVE_PICK,
        options,
        initial_option: initial,
      },
    },
  ];
}

const metadata = filesOfMessage.extend({ picks: z.array(pick) });

/** What was chosen in a form that was sent or changed; null for what is no form of ours. */
export function readSaveForm(form: SentForm): SaveForm | null {
  const carried = readMetadata(form, metadata);
  if (!carried) return null;
  const { picks, ...message } = carried;
  const value = chosenIn(fieldsOf(form)[SAVE_PICK]);
  const isPick = picks.some((one) => folderNumber(one) === value);
  return { message, picks, picked: isPick ? value : null, ...readFolderForm(form) };
}

/**
 * What the form asks for, or what is missing in it. A folder that is chosen goes before one
 * that is picked.
 */
export function saveWishOf(form: SaveForm): FolderWish | FormProblem {
  const isOther = form.address !== '' || form.project !== null;
  return !isOther && form.picked !== null ? { typed: form.picked } : wishOf(form, null);
}

/** Stands in the place of the form while the folder and the files are being looked at. */
export function saveChecking(): Modal {
  const what = line`Checking the folder and the files…`;
  const then = line`You can close this: I’ll tell you if they can’t be saved. If you hear nothing within a minute, try again; nothing is saved twice.`;
  return modal([prose(what, then)], 'Close');
}

/** What came of it. */
export function saveDone(said: View | null): Modal {
  return modal(said?.blocks ?? [prose(['Done.'])], 'Close');
}

/** The private answer on a message with more files than a form carries. */
export function tooManyToSave({ count }: { count: number }): View {
  return say([
    `This message has ${counted(count, 'file')}: I can save up to ${MOST_FILES} of one message at a time. Share them in several messages, or in a channel that’s linked to the folder.`,
  ]);
}
