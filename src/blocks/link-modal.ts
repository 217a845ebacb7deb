import type { types } from '@slack/bolt';
import { z } from 'zod';
import { type Block, plain } from './layout.ts';
import { type Line, line, plainText, prose, say, type View } from './prose.ts';
import { NEW_FOLDER, NOT_YET, type Option, option } from './search-options.ts';
import { shownName } from './text.ts';

export type Modal = types.ModalView;

/** The `callback_id` of the form. */
export const LINK_MODAL = 'link_channel';

/** The `action_id` of each field of the form. */
export const LINK_FIELDS = {
  project: 'link_project',
  folder: 'link_folder_choice',
  address: 'link_address',
  announces: 'link_announces',
} as const;

/** The fields that choose the folder. */
export type LinkField = Exclude<keyof typeof LINK_FIELDS, 'announces'>;

/** What somebody has chosen so far. */
export interface LinkForm {
  channel: string;
  /**
   * Null where Slack tells none: a direct message, or a private channel that I’m not in; and for
   * readers who are not in the channel.
   */
  channelName: string | null;
  project: { id: number; title: string } | null;
  /** `id` null: a new one, named after the channel. */
  folder: { id: number | null; label: string } | null;
  /** What was pasted or typed; empty for nothing. */
  address: string;
  /** Whether the channel is to be told what others add to the folder. */
  announces: boolean;
  /** Whether the account tells its projects: else only an address is asked for. */
  isListed: boolean;
}

/** What is wrong with the form, and with which field. */
export interface LinkProblem {
  field: LinkField;
  why: Line;
}

export interface LinkModalInput extends LinkForm {
  problem: LinkProblem | null;
}

/** The form that links a channel to a folder: one of a project's, a new one, or one by its address. */
export function linkModal(input: LinkModalInput): Modal {
  const { channel, channelName, isListed, problem } = input;
  const fields = isListed ? [projectField(input), ...folderField(input)] : [];
  const all = [...fields, addressField(input), announcesField(input)];
  const withProblem = (field: types.InputBlock): Block[] =>
    problem && field === blockOf(all, problem.field) ? [field, prose(problem.why)] : [field];
  return {
    ...modal([prose(intro(input)), ...all.flatMap(withProblem)], 'Cancel'),
    callback_id: LINK_MODAL,
    private_metadata: JSON.stringify({ channel, channelName }),
    submit: plain('Link', 24),
  };
}

function intro({ channel, channelName, isListed }: LinkModalInput): Line {
  const named = channelName === null ? { channel } : { file: `#${channelName}` };
  const where = channel.startsWith('D') ? ['here'] : line`in ${named}`;
  const told = line`Files shared ${where} will be filed in the folder that you choose, and the channel is told who linked it.`;
  return isListed
    ? line`Choose a project and a folder, or paste the folder’s address. ${told}`
    : line`${told} The file service doesn’t list its projects here.`;
}

function modal(blocks: Block[], close: string): Modal {
  return { type: 'modal', title: plain('Link this channel', 24), close: plain(close, 24), blocks };
}

// A field that shows another choice is another field: Slack keeps what was in the one that it knows.
function projectField({ project }: LinkForm): types.InputBlock {
  const chosen = project && option(project.title, `${project.id}`);
  return {
    type: 'input',
    block_id: `project_${project?.id ?? 0}`,
    dispatch_action: true,
    optional: true,
    label: plain('Project', 50),
    element: search(LINK_FIELDS.project, 'Search projects', chosen),
  };
}

function folderField({ project, folder }: LinkForm): types.InputBlock[] {
  if (!project) return [];
  const chosen = folder && option(folder.label, folder.id === null ? NEW_FOLDER : `${folder.id}`);
  return [
    {
      type: 'input',
      block_id: `folder_${project.id}`,
      optional: true,
      label: plain('Folder', 50),
      element: search(LINK_FIELDS.folder, 'Search folders', chosen),
    },
  ];
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

const LONGEST_ADDRESS = 500;

function addressField({ address, isListed }: LinkForm): types.InputBlock {
  return {
    type: 'input',
    block_id: 'address',
    optional: isListed,
    label: plain(isListed ? 'Or the folder’s web address' : 'The folder’s web address', 50),
    hint: plain('Or the numbers of the project and the folder, like 12/345.', 150),
    element: {
      type: 'plain_text_input',
      action_id: LINK_FIELDS.address,
      max_length: LONGEST_ADDRESS,
      placeholder: plain('https://…', 150),
      ...(address ? { initial_value: address } : {}),
    },
  };
}

// The field stays the same whatever is chosen in the others, so that Slack keeps what was ticked.
function announcesField({ announces }: LinkForm): types.InputBlock {
  const options = [option('Say here what others add to the folder', 'announces')];
  return {
    type: 'input',
    block_id: 'announces',
    optional: true,
    label: plain('Announcements', 50),
    hint: plain(
      'Files that come from the file service and not from here: at most every ten minutes.',
      150,
    ),
    element: {
      type: 'checkboxes',
      action_id: LINK_FIELDS.announces,
      options,
      ...(announces ? { initial_options: options } : {}),
    },
  };
}

function blockOf(fields: readonly types.InputBlock[], field: LinkField) {
  const action = LINK_FIELDS[field];
  return fields.find(({ element }) => element.action_id === action) ?? fields[0];
}

/** The problem as Slack shows it beside its field, by the field’s block in the form that was sent. */
export function linkErrors(
  { field, why }: LinkProblem,
  { state }: SentForm,
): Record<string, string> {
  const blocks = Object.entries(state?.values ?? {});
  const [block] = blocks.find(([, fields]) => LINK_FIELDS[field] in fields) ?? blocks[0] ?? [''];
  return { [block]: plainText(why) };
}

/** The same for who has closed the form meanwhile; `elsewhere`: the channel, where it is read elsewhere. */
export function linkProblemSaid({ why }: LinkProblem, elsewhere?: string): View {
  return say(elsewhere === undefined ? why : line`${{ channel: elsewhere }}: ${why}`);
}

/** Stands in the place of the form while the folder is being looked at. */
export function linkChecking(): Modal {
  const what = line`Checking the folder…`;
  const then = line`You can close this: I’ll say in the channel what comes of it. If nothing comes within a minute, try again; nothing is done twice.`;
  return modal([prose(what, then)], 'Close');
}

/** What came of it, where it can be said in the modal alone; null: it is said in the channel. */
export function linkDone(said: View | null): Modal {
  const blocks = said ? unasked(said) : [prose(line`Done. The channel says what happens now.`)];
  return modal(blocks, 'Close');
}

// What is asked once a channel is linked is whether its earlier files are filed. The buttons work in
// the channel alone, and whoever links it to the same folder there is asked again.
function unasked({ blocks }: View): Block[] {
  const buttons = blocks.findIndex(({ type }) => type === 'actions');
  if (buttons < 0) return blocks;
  const how = line`The channel is linked. Files from before aren’t filed yet: to choose what becomes of them, type ${{ command: '/files link' }} in the channel and choose the same folder.`;
  return [...blocks.slice(0, buttons - 1), prose(how)];
}

/** A form as Slack sends it: a claim. */
export interface SentForm {
  private_metadata: string;
  state?: { values: Record<string, Record<string, unknown>> };
}

const metadata = z.object({
  channel: z.string().regex(/^[CDG][A-Z0-9]+$/),
  channelName: z.string().nullable(),
});
const chosenOption = z.object({
  selected_option: z.object({ value: z.string(), text: z.object({ text: z.string() }) }),
});
const typedText = z.object({ value: z.string() });
const ticked = z.object({ selected_options: z.array(z.unknown()).nonempty() });

/** What was chosen in a form that was sent or changed; null for what is no form of ours. */
export function readLinkForm({ private_metadata: text, state }: SentForm): LinkForm | null {
  const channel = readMetadata(text);
  if (!channel) return null;
  const fields: Record<string, unknown> = Object.assign({}, ...Object.values(state?.values ?? {}));
  const project = readOption(fields[LINK_FIELDS.project]);
  const folder = readOption(fields[LINK_FIELDS.folder]);
  const address = typedText.safeParse(fields[LINK_FIELDS.address]).data?.value.trim() ?? '';
  return {
    ...channel,
    project: project?.id ? { id: project.id, title: project.label } : null,
    folder,
    address,
    announces: ticked.safeParse(fields[LINK_FIELDS.announces]).success,
    isListed: LINK_FIELDS.project in fields,
  };
}

function readMetadata(text: string) {
  try {
    return metadata.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function readOption(field: unknown): LinkForm['folder'] {
  const { data } = chosenOption.safeParse(field);
  if (!data || data.selected_option.value === NOT_YET) return null;
  const { value, text } = data.selected_option;
  if (value === NEW_FOLDER) return { id: null, label: text.text };
  return /^[1-9]\d{0,14}$/.test(value) ? { id: Number(value), label: text.text } : null;
}

/** What a form asks for: a folder as it is typed after `/files link`, or a new one in a project. */
export type LinkWish = { typed: string } | { newIn: number; name: string };

/** What the form asks for, or what is missing in it. */
export function wishOf(form: LinkForm): LinkWish | LinkProblem {
  const { project, folder, address, channelName } = form;
  if (address && folder)
    return { field: 'address', why: line`Choose a folder above or give an address, not both.` };
  if (address) return { typed: address };
  if (!project)
    return { field: 'project', why: line`Choose a project, or give the folder’s address below.` };
  if (!folder) return { field: 'folder', why: line`Choose a folder.` };
  if (folder.id !== null) return { typed: `${project.id}/${folder.id}` };
  if (channelName !== null) return { newIn: project.id, name: channelName };
  return { field: 'folder', why: line`Choose a folder that is there.` };
}

/** A project in the form, as it is chosen there. */
export function projectChoice({ id, title }: { id: number; title: string }) {
  return { id, title: shownName(title, { unnamed: `Project ${id}`, max: 75 }) };
}

/** Why no folder was made. */
export function folderNotMade(name: string): Line {
  return line`The file service doesn’t let me make the folder ${{ file: name }}. Make it there, then choose it here.`;
}
