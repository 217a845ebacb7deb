import type { types } from '@slack/bolt';
import type { Option } from '../../src/surfaces/kit/layout.ts';
import type { Modal } from '../../src/surfaces/link/folder-form-view.ts';

const MESSAGE_BLOCKS = 50;
/** The most blocks that Slack allows in an App Home or a modal. */
export const VIEW_BLOCKS = 100;
const MESSAGE_TEXT = 4000;

/**
 * Returns what Slack would refuse in a view, and what it would show formatted, linked or as a
 * mention; empty if the view is fine. Limits: https://docs.slack.dev/reference/block-kit/blocks.
 * Pigeonhole's views use six kinds of block. They use mrkdwn only for a mention of a person and for
 * dates, beside text that it does not format. Anything else is a problem.
 */
export function blockKitProblems(
  view: { text: string; blocks: readonly object[] },
  most = MESSAGE_BLOCKS,
): string[] {
  const problems = [
    ...lengthProblems('text', view.text, MESSAGE_TEXT),
    ...mrkdwnProblems('text', view.text),
    ...view.blocks.flatMap((block, index) =>
      blockProblems(block as types.KnownBlock, `blocks[${index}]`),
    ),
  ];
  const count = view.blocks.length;
  if (count < 1 || count > most) problems.push(`blocks: ${count} of them`);
  return problems;
}

/** Returns the same for a modal (https://docs.slack.dev/reference/views/modal-views). */
export function modalProblems({ blocks, title, submit, close, ...modal }: Modal): string[] {
  const ids = blocks.flatMap(({ block_id }) => block_id ?? []);
  const hasInput = blocks.some(({ type }) => type === 'input');
  return [
    ...plainProblems(title, 'title', 24),
    ...[submit, close].flatMap((text) => (text ? plainProblems(text, 'button', 24) : [])),
    ...(hasInput && !submit ? ['submit: missing beside a field'] : []),
    ...countProblems('blocks', blocks.length, VIEW_BLOCKS),
    ...(new Set(ids).size === ids.length ? [] : ['blocks: a block_id twice']),
    ...lengthProblems('private_metadata', modal.private_metadata ?? '-', 3000),
    ...lengthProblems('callback_id', modal.callback_id ?? '-', 255),
    ...blocks.flatMap((block, index) =>
      blockProblems(block as types.KnownBlock, `blocks[${index}]`),
    ),
  ];
}

/** Returns what Slack would refuse in the response to an options search. */
export function optionProblems(options: readonly Option[]): string[] {
  const values = options.map(({ value }) => value);
  return [
    ...(options.length > 100 ? [`options: ${options.length} of them`] : []),
    ...(new Set(values).size === values.length ? [] : ['options: a value twice']),
    ...options.flatMap(({ text, value = '', description }, index) => [
      ...plainProblems(text, `options[${index}]`, 75),
      ...lengthProblems(`options[${index}].value`, value, 150),
      ...(description ? plainProblems(description, `options[${index}].description`, 75) : []),
    ]),
  ];
}

function inputProblems({ label, hint, element, block_id }: types.InputBlock, where: string) {
  const { initial_option, placeholder } = element as Partial<types.ExternalSelect>;
  const { initial_value, max_length } = element as Partial<types.PlainTextInput>;
  return [
    ...lengthProblems(`${where}.block_id`, block_id ?? '', 255),
    ...plainProblems(label, `${where}.label`, 2000),
    ...(hint ? plainProblems(hint, `${where}.hint`, 2000) : []),
    ...(placeholder ? plainProblems(placeholder, `${where}.placeholder`, 150) : []),
    ...(initial_option ? optionProblems([initial_option as Option]) : []),
    ...(element.type === 'checkboxes'
      ? tickProblems(element.options, element.initial_options, where)
      : []),
    ...(element.type === 'radio_buttons'
      ? tickProblems(element.options, element.initial_option && [element.initial_option], where)
      : []),
    ...lengthProblems(`${where}.initial_value`, initial_value ?? '-', max_length ?? 3000),
  ];
}

function tickProblems(
  options: readonly unknown[],
  initial: readonly unknown[] | undefined,
  where: string,
): string[] {
  const shown = options.map((one) => JSON.stringify(one));
  const isThere = initial?.every((one) => shown.includes(JSON.stringify(one))) ?? true;
  return [
    ...countProblems(`${where}.options`, options.length, 10),
    ...optionProblems(options as Option[]),
    ...(isThere && initial?.length !== 0 ? [] : [`${where}: starts with none of its options`]),
  ];
}

/** Returns what is left unescaped in mrkdwn, beyond mentions of people and channels, and dates. */
export function mrkdwnProblems(where: string, text: string): string[] {
  const rest = text
    .replace(
      /<(@[UW][A-Z0-9]+|#[CG][A-Z0-9]+|!date\^-?\d+\^{date_short_pretty} at {time}\|[^<>|]+)>/g,
      '',
    )
    .replace(/&(amp|lt|gt);/g, '');
  return /[<>&]/.test(rest) ? [`${where}: unescaped in ${JSON.stringify(text)}`] : [];
}

function blockProblems(block: types.KnownBlock, where: string): string[] {
  switch (block.type) {
    case 'header':
      return plainProblems(block.text, `${where}.text`, 150);
    case 'context':
      return [
        ...countProblems(where, block.elements.length, 10),
        ...block.elements.flatMap((element) => detailProblems(element, where)),
      ];
    case 'section':
      return sectionProblems(block, where);
    case 'actions':
      return actionsProblems(block, where);
    case 'rich_text':
      return richTextProblems(block, where);
    case 'input':
      return inputProblems(block, where);
    default:
      return [`${where}: unexpected ${block.type}`];
  }
}

// Details may use mrkdwn for mentions of people, dates and links, beside text that it does not format.
function detailProblems(element: { type: string; text?: string }, where: string): string[] {
  const { type, text = '' } = element;
  if (type !== 'mrkdwn') return plainProblems(element, where, 3000);
  const rest = text
    .replace(/<https?:[^<>|]+\|([^<>|]+)>/g, '$1')
    .replace(/<(@[UW][A-Z0-9]+|!date\^-?\d+\^{date_short_pretty} at {time}\|[^<>|]+)>/g, '')
    .replace(/&(amp|lt|gt);/g, '');
  const isFine = !/[*~`|<>:&]|(^|[^\p{L}\p{N}])_/u.test(rest);
  return [...(isFine ? [] : [`${where}: markup ${text}`]), ...lengthProblems(where, text, 3000)];
}

function sectionProblems(section: types.SectionBlock, where: string): string[] {
  const { text, accessory, block_id = 'a' } = section;
  const beside = `${where}.accessory`;
  return [
    ...(text === undefined ? [`${where}: no text`] : detailProblems(text, where)),
    ...lengthProblems(`${where}.block_id`, block_id, 255),
    ...(accessory?.type === 'overflow'
      ? overflowProblems(accessory, beside)
      : accessory
        ? buttonProblems(accessory, beside)
        : []),
  ];
}

function overflowProblems({ options, action_id = '' }: types.Overflow, where: string): string[] {
  const values = options.map(({ value = '' }) => value);
  return [
    ...(options.length < 2 || options.length > 5 ? [`${where}: ${options.length} options`] : []),
    ...(new Set(values).size === values.length ? [] : [`${where}: an option twice`]),
    ...lengthProblems(`${where}.action_id`, action_id, 255),
    ...options.flatMap(({ text }) => plainProblems(text, `${where}.text`, 75)),
    ...values.flatMap((value) => lengthProblems(`${where}.value`, value, 75)),
    ...options.flatMap(({ url }) => (url === undefined ? [] : urlProblems(url, where))),
  ];
}

function actionsProblems(
  { elements, block_id = 'a' }: types.ActionsBlock,
  where: string,
): string[] {
  const ids = elements.map((element) => element.action_id);
  return [
    ...countProblems(where, elements.length, 25),
    ...(new Set(ids).size === ids.length ? [] : [`${where}: an action_id twice`]),
    ...lengthProblems(`${where}.block_id`, block_id, 255),
    ...elements.flatMap((element, index) =>
      element.type === 'static_select' || element.type === 'conversations_select'
        ? menuProblems(element, `${where}[${index}]`)
        : buttonProblems(element, `${where}[${index}]`),
    ),
  ];
}

function menuProblems(
  menu: types.StaticSelect | types.ConversationsSelect,
  where: string,
): string[] {
  const { placeholder, action_id = '' } = menu;
  return [
    ...lengthProblems(`${where}.action_id`, action_id, 255),
    ...(placeholder === undefined ? [] : plainProblems(placeholder, `${where}.placeholder`, 150)),
    ...(menu.type === 'static_select' ? choiceProblems(menu, where) : []),
  ];
}

function choiceProblems(
  { options = [], initial_option: initial }: types.StaticSelect,
  where: string,
): string[] {
  const values = options.map(({ value = '' }) => value);
  const isThere = options.some((one) => JSON.stringify(one) === JSON.stringify(initial));
  return [
    ...countProblems(`${where}.options`, options.length, 100),
    ...(new Set(values).size === values.length ? [] : [`${where}: an option twice`]),
    ...(initial === undefined || isThere ? [] : [`${where}: starts with none of its options`]),
    ...options.flatMap(({ text }) => plainProblems(text, `${where}.text`, 75)),
    ...values.flatMap((value) => lengthProblems(`${where}.value`, value, 75)),
  ];
}

function buttonProblems(element: { type: string }, where: string): string[] {
  if (!isButton(element)) return [`${where}: unexpected ${element.type}`];
  const { text, value = '', action_id = '', accessibility_label, confirm } = element;
  return [
    ...plainProblems(text, `${where}.text`, 75),
    ...lengthProblems(`${where}.value`, value, 2000),
    ...lengthProblems(`${where}.action_id`, action_id, 255),
    ...(accessibility_label === undefined
      ? []
      : lengthProblems(`${where}.accessibility_label`, accessibility_label, 75)),
    ...(confirm === undefined ? [] : confirmProblems(confirm, `${where}.confirm`)),
  ];
}

function isButton(element: { type: string }): element is types.Button {
  return element.type === 'button';
}

function confirmProblems(dialog: types.ConfirmationDialog, where: string): string[] {
  const { title, text, confirm, deny } = dialog;
  return [
    ...(title === undefined ? [] : plainProblems(title, `${where}.title`, 100)),
    ...plainProblems(text, `${where}.text`, 300),
    ...(confirm === undefined ? [] : plainProblems(confirm, `${where}.confirm`, 30)),
    ...(deny === undefined ? [] : plainProblems(deny, `${where}.deny`, 30)),
  ];
}

function richTextProblems({ elements }: types.RichTextBlock, where: string): string[] {
  const pieces = elements.flatMap((element) =>
    element.type === 'rich_text_section' ? element.elements : [],
  );
  const length = pieces.reduce(
    (sum, piece) => sum + ('text' in piece ? (piece.text?.length ?? 0) : 0),
    0,
  );
  const unexpected = pieces.filter(
    ({ type }) => !['text', 'link', 'user', 'channel', 'date'].includes(type),
  );
  const strangers = pieces.filter(
    (piece) =>
      (piece.type === 'user' && !/^[UW][A-Z0-9]+$/.test(piece.user_id)) ||
      (piece.type === 'channel' && !/^[CG][A-Z0-9]+$/.test(piece.channel_id)),
  );
  const empty = pieces.some((piece) => 'text' in piece && piece.text?.length === 0);
  const urls = pieces.flatMap((piece) => (piece.type === 'link' ? [piece.url] : []));
  return [
    ...(length < 1 || length > 3000 ? [`${where}: ${length} characters`] : []),
    ...unexpected.map(({ type }) => `${where}: unexpected ${type}`),
    ...strangers.map(() => `${where}: a mention of nobody`),
    ...(empty ? [`${where}: an empty text`] : []),
    ...urls.flatMap((url) => urlProblems(url, where)),
  ];
}

function urlProblems(url: string, where: string): string[] {
  const { protocol = '', username = '', password = '' } = URL.parse(url) ?? {};
  const isFine = /^(https?|mailto):$/.test(protocol) && username + password === '';
  return [...(isFine ? [] : [`${where}: a link to ${url}`]), ...lengthProblems(where, url, 3000)];
}

function plainProblems(
  element: { type: string; text?: string },
  where: string,
  max: number,
): string[] {
  if (element.type !== 'plain_text') return [`${where}: unexpected ${element.type}`];
  const emoji = 'emoji' in element && element.emoji === false;
  return [
    ...lengthProblems(where, element.text ?? '', max),
    ...(emoji ? [] : [`${where}: :names: would become emoji`]),
  ];
}

function lengthProblems(where: string, text: string, max: number): string[] {
  const problems =
    text.length < 1 || text.length > max ? [`${where}: ${text.length} characters`] : [];
  return text.isWellFormed() ? problems : [...problems, `${where}: half a character`];
}

function countProblems(where: string, count: number, max: number): string[] {
  return count < 1 || count > max ? [`${where}: ${count} elements`] : [];
}
