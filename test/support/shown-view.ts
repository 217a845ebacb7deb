import type { types } from '@slack/bolt';
import type { View } from '../../src/surfaces/kit/layout.ts';
import { blockKitProblems } from './block-kit-limits.ts';

/**
 * Returns a view as a person sees it, for snapshots: `#` marks a title, `|` a line of text, `-`
 * small print and details, `*bold*`, `` `code` ``, and each button is in brackets with what it sends.
 */
export function shownView({ text, blocks }: View): string {
  return [`text: ${text}`, ...blocks.flatMap(shownBlock)].join('\n');
}

/** Returns the same; throws if Slack would refuse the view. */
export function shown(view: View): string {
  const problems = blockKitProblems(view);
  if (problems.length > 0) throw new Error(`Slack would refuse this view: ${problems.join('; ')}`);
  return shownView(view);
}

/**
 * Returns the file names in a list as `shownView` shows it: one line for each, with its details
 * below.
 */
export function listedNames(shown: string): string[] {
  const lines = /^\| (?:\[(.+?) → \S+\]|(.+?))(?: in \*.*\*)?\n- (?!For your admin)/gm;
  return [...shown.matchAll(lines)].map(([, linked, plain = '']) => linked ?? plain);
}

/** Returns all buttons of a view, at any depth. */
export function buttonsOf({ blocks }: View): types.Button[] {
  return blocks.flatMap((block) => {
    if (block.type === 'actions') return block.elements.filter(isButton);
    if (block.type !== 'section' || block.accessory === undefined) return [];
    return [block.accessory].filter(isButton);
  });
}

/** Returns all menus of a view, each with the identifier of its block. */
export function menusOf({ blocks }: View) {
  const rows = blocks.flatMap((block) => (block.type === 'actions' ? [block] : []));
  return rows.flatMap(({ block_id = '', elements }) =>
    elements.flatMap((one) =>
      one.type === 'static_select'
        ? [{ options: one.options ?? [], blockId: block_id, initial: one.initial_option }]
        : [],
    ),
  );
}

/** Returns the menus of a list's files, each with the identifier of its block. */
export function fileMenusOf({ blocks }: View) {
  return blocks.flatMap((block) => {
    const { accessory, block_id = '' } = block.type === 'section' ? block : {};
    return accessory?.type === 'overflow'
      ? [{ options: accessory.options, blockId: block_id }]
      : [];
  });
}

function shownBlock(block: types.KnownBlock): string[] {
  switch (block.type) {
    case 'header':
      return [`# ${block.text.text}`];
    case 'context':
      return [`- ${block.elements.map(shownDetail).join(' ')}`];
    case 'section':
      return shownSection(block);
    case 'actions':
      return [block.elements.map(shownControl).join(' ')];
    case 'rich_text':
      return shownRichText(block);
    case 'input':
      return shownInput(block);
    default:
      return [`? ${block.type}`];
  }
}

function shownInput({ label, hint, element, optional }: types.InputBlock): string[] {
  const { initial_option, placeholder } = element as Partial<types.ExternalSelect>;
  const { initial_value } = element as Partial<types.PlainTextInput>;
  if (element.type === 'checkboxes')
    return [`| ${label.text}: ${shownBoxes(element)}`, ...(hint ? [`- ${hint.text}`] : [])];
  const holds = initial_option?.text?.text ?? initial_value ?? `(${placeholder?.text ?? 'empty'})`;
  const words = `| ${label.text}${optional ? ' (optional)' : ''}: [${holds}]`;
  return [words, ...(hint ? [`- ${hint.text}`] : [])];
}

function shownBoxes({ options, initial_options = [] }: types.Checkboxes): string {
  const ticked = new Set(initial_options.map(({ value }) => value));
  return options
    .map(({ text, value }) => `[${ticked.has(value) ? 'x' : ' '}] ${text.text}`)
    .join(' ');
}

function shownSection({ text, accessory }: types.SectionBlock): string[] {
  const words = shownMarkup(text?.text ?? '');
  if (accessory?.type === 'overflow')
    return [`- ${words}  [⋯ ${accessory.options.map(shownChoice).join(' / ')}]`];
  return [`| ${[words, ...[accessory].filter(isButton).map(shownButton)].join('  ')}`];
}

function shownChoice({ text, url }: types.Overflow['options'][number]): string {
  return url === undefined ? text.text : `${text.text} → ${url}`;
}

function shownDetail(element: types.ContextBlock['elements'][number]): string {
  return 'text' in element ? shownMarkup(element.text) : element.type;
}

function shownMarkup(text: string): string {
  const dated = text.replace(/<!date\^(\d+)\^[^|]+\|([^>]+)>/g, '{$1: $2}');
  return dated.replace(/<(http[^|>]+)\|([^>]+)>/g, '[$2 → $1]').replace(/<@(\w+)>/g, '@$1');
}

function shownRichText({ elements }: types.RichTextBlock): string[] {
  const pieces = elements.flatMap((element) =>
    element.type === 'rich_text_section' ? element.elements.map(shownPiece) : [element.type],
  );
  return pieces
    .join('')
    .split('\n')
    .map((line) => `| ${line}`);
}

function shownPiece(piece: types.RichTextElement): string {
  if (piece.type === 'user') return `@${piece.user_id}`;
  if (piece.type === 'channel') return `#${piece.channel_id}`;
  if (piece.type === 'date') return `{${piece.timestamp}: ${piece.fallback}}`;
  if (piece.type === 'link') return `[${piece.text} → ${piece.url}]`;
  if (piece.type !== 'text') return piece.type;
  if (piece.style?.bold) return `*${piece.text}*`;
  return piece.style?.code ? `\`${piece.text}\`` : piece.text;
}

function shownButton({ text, action_id, value, confirm }: types.Button): string {
  const question = confirm === undefined ? '' : ` ${shownConfirm(confirm)}`;
  return `[${text.text} → ${action_id} ${value}${question}]`;
}

function shownControl(element: types.ActionsBlock['elements'][number]): string {
  if (isButton(element)) return shownButton(element);
  if (element.type === 'conversations_select')
    return `[${element.placeholder?.text} ▾ → ${element.action_id}]`;
  if (element.type !== 'static_select') return `[${element.type}]`;
  return `[${element.initial_option?.text.text ?? element.placeholder?.text} ▾ → ${element.action_id}]`;
}

function shownConfirm({ title, text, confirm, deny }: types.ConfirmationDialog): string {
  return `(${title?.text} ${text.text} ${confirm?.text} / ${deny?.text})`;
}

function isButton(element: { type: string } | undefined): element is types.Button {
  return element?.type === 'button';
}
