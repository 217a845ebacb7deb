import type { types } from '@slack/bolt';
import { z } from 'zod';
import { parseObject } from './actions.ts';
import { type Block, type Option, option, plain, type View } from './layout.ts';
import { type Line, line, plainText, prose, say } from './prose.ts';
import { NEW_FOLDER, projectOption } from './search-options.ts';
import { beginning, MAX_ADDRESS_LENGTH } from './text.ts';

export type Modal = types.ModalView & { blocks: Block[] };

/** A form in which a folder is chosen: how it is shown and read, and what replaces it. */
export interface FormKind<F extends FolderForm> {
  callbackId: string;
  show(form: F): Modal;
  /** Reads the choices from a sent or changed form; null when the form is not ours. */
  read(sent: SentForm): F | null;
  /** Returns what the form asks for, or the problem with it. */
  requestOf(form: F): FolderRequest | FormProblem;
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
      return { ...known, ...readFolderForm(sent), ...parts.readOwn(fieldsOf(sent), known) };
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

/** The `action_id` of each field that chooses a folder. */
export const FOLDER_FIELDS = {
  project: 'form_project',
  folder: 'form_folder',
  address: 'form_address',
} as const;

export type FolderField = keyof typeof FOLDER_FIELDS;

/** The folder that somebody has chosen so far. */
interface FolderChoice {
  project: { id: number; title: string } | null;
  /** `id` null: a new folder. */
  folder: { id: number | null; label: string } | null;
  /** What was pasted or typed; empty for nothing. */
  address: string;
  /** Whether the account lists its projects; if not, the form asks only for an address. */
  isListed: boolean;
  /** The problem that the form shows. Default: none. */
  problem?: FormProblem | null;
}

export interface FolderForm extends FormPlace, FolderChoice {}

/** The content of a form in which nothing is chosen. */
export const NOTHING_CHOSEN: FolderChoice = {
  project: null,
  folder: null,
  address: '',
  isListed: true,
};

/** What is wrong with a form, and with which field. */
export interface FormProblem {
  field: FolderField;
  why: Line;
}

/**
 * The fields in which a folder is chosen: one of a project's, or one by its address; `hasPicks`:
 * whether the form offers folders of its own above them.
 */
export function folderFields(form: FolderChoice, { hasPicks = false } = {}): Block[] {
  const { isListed, problem } = form;
  const fields = isListed ? [projectField(form), ...folderField(form)] : [];
  const all = [...fields, addressField(form, form.isListed || hasPicks)];
  return all.flatMap((field) =>
    problem && field === blockOf(all, problem.field) ? [field, prose(problem.why)] : [field],
  );
}

// The `block_id` changes with the choice: Slack keeps the old content of a field that it knows.
function projectField({ project }: FolderChoice): types.InputBlock {
  const element = search(
    FOLDER_FIELDS.project,
    'Search projects',
    project && projectOption(project),
  );
  return field(`project_${project?.id ?? 0}`, 'Project', { dispatch_action: true, element });
}

function folderField({ project, folder }: FolderChoice): types.InputBlock[] {
  if (!project) return [];
  const chosen = folder && option(folder.label, folder.id === null ? NEW_FOLDER : `${folder.id}`);
  const element = search(FOLDER_FIELDS.folder, 'Search folders', chosen);
  return [field(`folder_${project.id}`, 'Folder', { element })];
}

function search(action: string, placeholder: string, chosen: Option | null): types.ExternalSelect {
  return {
    type: 'external_select',
    action_id: action,
    min_query_length: 0,
    placeholder: plain(placeholder, 150),
    ...(chosen ? { initial_option: chosen } : {}),
  };
}

function addressField({ address }: FolderChoice, optional: boolean): types.InputBlock {
  return field('address', optional ? 'Or the folder’s web address' : 'The folder’s web address', {
    optional,
    hint: plain('Or the numbers of the project and the folder, like 12/345.', 150),
    element: {
      type: 'plain_text_input',
      action_id: FOLDER_FIELDS.address,
      max_length: MAX_ADDRESS_LENGTH,
      placeholder: plain('https://…', 150),
      ...(address ? { initial_value: beginning(address.toWellFormed(), MAX_ADDRESS_LENGTH) } : {}),
    },
  });
}

function blockOf(fields: readonly types.InputBlock[], field: FolderField) {
  const action = FOLDER_FIELDS[field];
  return fields.find(({ element }) => element.action_id === action) ?? fields[0];
}

/** Returns a problem for Slack to show beside its field, by the field’s block in the sent form. */
export function formErrors(
  { field, why }: FormProblem,
  { state }: SentForm,
): Record<string, string> {
  const blocks = Object.entries(state?.values ?? {});
  const [block] = blocks.find(([, fields]) => FOLDER_FIELDS[field] in fields) ?? blocks[0] ?? [''];
  return { [block]: plainText(why) };
}

/** The same for a person who closed the form; `elsewhere`: the channel, when read outside it. */
export function formProblemSaid({ why }: FormProblem, elsewhere?: string): View {
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
const typedText = z.object({ value: z.string() });

/** Returns the fields of a sent or changed form by their `action_id`. */
function fieldsOf({ state }: SentForm): Record<string, unknown> {
  return Object.assign({}, ...Object.values(state?.values ?? {}));
}

/** Reads the chosen folder from a sent or changed form. */
function readFolderForm(form: SentForm): FolderChoice {
  const fields = fieldsOf(form);
  const project = readOption(fields[FOLDER_FIELDS.project]);
  const address = typedText.safeParse(fields[FOLDER_FIELDS.address]).data?.value.trim() ?? '';
  return {
    project: project?.id ? { id: project.id, title: project.label } : null,
    folder: readOption(fields[FOLDER_FIELDS.folder]),
    address,
    isListed: FOLDER_FIELDS.project in fields,
  };
}

/** The conversation that a form is for, and its name if the form may show it. */
export const formPlace = z.object({
  /** Slack's identifier of a channel, a direct message or a group message. */
  channel: z.string().regex(/^[CDG][A-Z0-9]+$/),
  /**
   * A new folder is named after it. Null when Slack gives none (a direct message, or a private
   * channel without the bot), and for readers who are not in the channel.
   */
  channelName: z.string().nullable().default(null),
  /** Whether the form was opened outside the channel. */
  isElsewhere: z.boolean().default(false),
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

function readOption(field: unknown): FolderChoice['folder'] {
  const { value = '', text } = chosenOption.safeParse(field).data?.selected_option ?? {};
  const label = text?.text ?? '';
  if (value === NEW_FOLDER) return { id: null, label };
  return /^[1-9]\d{0,14}$/.test(value) ? { id: Number(value), label } : null;
}

/** What a form asks for: a folder as typed after `/files link`, or a new one in a project. */
export type FolderRequest = { typed: string } | { newIn: number; name: string };

/** Returns what a form asks for, or the problem with it. */
export function requestOf(form: FolderForm): FolderRequest | FormProblem {
  const { project, folder, address, channelName } = form;
  if (address && folder)
    return { field: 'address', why: line`Choose a folder above or give an address, not both.` };
  if (address) return { typed: address };
  if (!project)
    return { field: 'project', why: line`Choose a project, or give the folder’s address below.` };
  if (!folder) return { field: 'folder', why: line`Choose a folder.` };
  if (folder.id !== null) return { typed: `${project.id}/${folder.id}` };
  if (channelName !== null) return { newIn: project.id, name: channelName };
  return { field: 'folder', why: line`Choose an existing folder.` };
}
