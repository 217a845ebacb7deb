import type { types } from '@slack/bolt';
import { z } from 'zod';
import { parseObject } from '../kit/claims.ts';
import { type Block, option, plain, type View } from '../kit/layout.ts';
import { modalPlace } from '../kit/modals.ts';
import { type Line, line, plainText, prose, say } from '../kit/prose.ts';
import { Service } from '../kit/service-name.ts';
import { type FolderRequest, readChoice } from './search-options.ts';

export type Modal = types.ModalView & { blocks: Block[] };

/** A form in which a folder is chosen: how it is shown and read, and what replaces it. */
export interface FormKind<F extends FolderForm> {
  callbackId: string;
  show(form: F): Modal;
  /** Reads the choices from a sent form; null when the form is not ours. */
  read(sent: SentForm): F | null;
  /** Returns what the form asks for; null if no folder is chosen. */
  requestOf(form: F): FolderRequest | null;
  /** Replaces the form while the outcome takes long. */
  checking: Modal;
  /** Replaces the form with the outcome; null: that is posted elsewhere. */
  done(said: View | null): Modal;
}

interface FormParts<Carried extends FormPlace, Own>
  extends Pick<FormKind<Carried & FolderChoice & Own>, 'callbackId' | 'requestOf'> {
  /** At most 24 characters, like `submit`. */
  title: string;
  submit: string;
  /** What Slack sends back with the form, as its `private_metadata`. */
  carried: z.ZodType<Carried>;
  /** Reads the form's own fields by their `action_id`. */
  readOwn(fields: Record<string, unknown>, carried: Carried): Own;
  blocks(form: Carried & FolderChoice & Own): Block[];
  checking: readonly Line[];
  done: Line;
}

/** Makes a form of its words, its fields and how it is read. */
export function createForm<Carried extends FormPlace, Own>(
  parts: FormParts<Carried, Own>,
): FormKind<Carried & FolderChoice & Own> {
  const { callbackId, requestOf, carried } = parts;
  const modal = (blocks: Block[], close: string): Modal => ({
    type: 'modal',
    title: plain(parts.title, 24),
    close: plain(close, 24),
    blocks,
  });
  return {
    ...{ callbackId, requestOf },
    read: (sent) => {
      const { data: known } = carried.safeParse(parseObject(sent.private_metadata));
      if (!known) return null;
      const fields = fieldsOf(sent);
      return { ...known, folder: readFolder(fields), ...parts.readOwn(fields, known) };
    },
    show: (form) => ({
      ...modal(parts.blocks(form), 'Cancel'),
      callback_id: callbackId,
      private_metadata: JSON.stringify(carried.parse(form)),
      submit: plain(parts.submit, 24),
    }),
    checking: modal([prose(...parts.checking)], 'Close'),
    done: (said) => modal(said?.blocks ?? [prose(parts.done)], 'Close'),
  };
}

/** A field of a form, which may stay empty unless `more` says otherwise. */
export function field(
  block_id: string,
  label: string,
  more: Pick<types.InputBlock, 'element'> & Partial<types.InputBlock>,
): types.InputBlock {
  return { type: 'input', block_id, optional: true, label: plain(label, 50), ...more };
}

/** The `action_id` of the field in which a folder is chosen. */
export const FOLDER_FIELD = 'form_folder';
const FOLDER_BLOCK = 'folder';

/** The folder that somebody has chosen so far. */
interface FolderChoice {
  /** The option of the field; null for none. */
  folder: { label: string; value: string } | null;
  /** Why the form was not accepted. Default: null, it was not sent yet. */
  problem?: Line | null;
}

export interface FolderForm extends FormPlace, FolderChoice {}

interface FieldOptions {
  label?: string;
  /** Whether the form offers other folders, so that this one may be left out. */
  optional?: boolean;
}

/** The field in which a folder of any project is chosen, and the problem with it. */
export function folderField(
  { folder, isListed, problem = null }: FolderForm,
  { label = 'Folder', optional = false }: FieldOptions = {},
): Block[] {
  const how = isListed
    ? 'Type words of the project and the folder, a new name, or paste the folder’s address.'
    : `${Service()} doesn’t list its folders here: paste the folder’s address, or its numbers, like 12/345.`;
  const input = field(FOLDER_BLOCK, label, {
    optional,
    hint: plain(how, 150),
    element: {
      type: 'external_select',
      action_id: FOLDER_FIELD,
      min_query_length: 0,
      placeholder: plain('Project › Folder', 150),
      ...(folder ? { initial_option: option(folder.label, folder.value) } : {}),
    },
  });
  return [input, ...(problem ? [prose(problem)] : [])];
}

/** Shown beside the field of a form that is sent without a folder. */
export const CHOOSE_A_FOLDER: Line = ['Choose a folder.'];

/** Says why the folder was not created. */
export function folderNotMade(name: string): Line {
  return line`${Service()} doesn’t let me make the folder ${{ typed: name }}. Make it there, then choose it here.`;
}

/** Returns a problem for Slack to show beside the field. */
export function formErrors(why: Line): Record<string, string> {
  return { [FOLDER_BLOCK]: plainText(why) };
}

/** The same for a person who closed the form; `elsewhere`: the channel, when read outside it. */
export function formProblemSaid(why: Line, elsewhere?: string): View {
  return say(elsewhere === undefined ? why : line`${{ channel: elsewhere }}: ${why}`);
}

/** A form as Slack sends it: a claim, to be checked. */
interface SentForm {
  private_metadata: string;
  state?: { values: Record<string, Record<string, unknown>> };
}

const chosenOption = z.object({
  selected_option: z.object({ value: z.string(), text: z.object({ text: z.string() }) }),
});

/** Returns the fields of a sent form by their `action_id`. */
function fieldsOf({ state }: SentForm): Record<string, unknown> {
  return Object.assign({}, ...Object.values(state?.values ?? {}));
}

function readFolder(fields: Record<string, unknown>): FolderChoice['folder'] {
  const { value = '', text } =
    chosenOption.safeParse(fields[FOLDER_FIELD]).data?.selected_option ?? {};
  return readChoice(value) && { label: text?.text ?? '', value };
}

/** The conversation that a form is for, and its name if the form may show it. */
export const formPlace = modalPlace.extend({
  /**
   * A new folder may be named after it. Null when Slack gives none (a direct message, or a private
   * channel without the bot), and for readers who are not in the channel.
   */
  channelName: z.string().nullable().default(null),
  /** Whether the account lists its projects; if not, a folder is found by its address only. */
  isListed: z.boolean().default(true),
});

export type FormPlace = z.infer<typeof formPlace>;

/** Reads the conversation from a form of any kind; null when the form is not ours. */
export function readPlace(form: SentForm): FormPlace | null {
  return formPlace.safeParse(parseObject(form.private_metadata)).data ?? null;
}

/** Returns the value of a chosen option; null when none is chosen. */
export function chosenIn(field: unknown): string | null {
  return chosenOption.safeParse(field).data?.selected_option.value ?? null;
}

/** Returns what a form asks for by its field. */
export function requestOf({ folder }: FolderForm): FolderRequest | null {
  return folder && readChoice(folder.value);
}
