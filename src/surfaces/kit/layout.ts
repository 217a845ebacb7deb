import type { types } from '@slack/bolt';
import type { Action } from './claims.ts';
import { beginning, cut, escapeMrkdwn, isPlainInMrkdwn, shownMoment, shownNumber } from './text.ts';

export type Block = types.KnownBlock;

/** A title in large type. */
export function heading(text: string): types.HeaderBlock {
  return { type: 'header', text: plain(text, 150) };
}

/** What an entry is about, in its words. */
interface Entry {
  before?: string;
  name: string;
  after?: string;
  /** Where the name leads, from webAddress. Default: nowhere. */
  url?: string | null;
}

/**
 * A line, with `accessory` beside it. Only mrkdwn has links beside a button: a name that it would format
 * is none.
 */
export function entry(
  { before = '', name, after = '', url = null }: Entry,
  accessory: types.Button | null,
): types.SectionBlock {
  const text =
    url !== null && isPlainInMrkdwn(name)
      ? markup(
          `${before}<${escapeMrkdwn(url).replaceAll('|', '%7C')}|${escapeMrkdwn(name)}>${after}`,
        )
      : plain(`${before}${name}${after}`, 3000);
  return { type: 'section', text, ...(accessory ? { accessory } : {}) };
}

export function smallPrint(text: string): types.ContextBlock {
  return { type: 'context', elements: [plain(text, 1000)] };
}

/** A detail: text, a person by Slack ID, or a day and time in epoch milliseconds. */
export type Detail = string | { person: string } | { time: number };

/** What a section has beside its text: a menu, and the claim that its choices change. */
type Beside = Required<Pick<types.SectionBlock, 'accessory' | 'block_id'>>;

/** A choice of a menu: what it says, and what it changes of the claim, or the address that it opens. */
export interface Choice {
  label: string;
  changes: object;
  /** An address from webAddress. */
  url?: string;
}

/** Slack allows five choices; of one alone, not all its clients show the menu. */
const MAX_CHOICES = 5;
const MIN_CHOICES = 2;

/** A menu behind three dots, which stands beside a section's text; null for too few choices. */
export function choicesBeside(
  { id }: Pick<Action<unknown>, 'id'>,
  claim: string,
  choices: readonly (Choice | null)[],
): Beside | null {
  const options = choices
    .filter((choice) => choice !== null)
    .slice(0, MAX_CHOICES)
    .map(({ label, changes, url }) => ({
      ...option(label, JSON.stringify(changes)),
      ...(url === undefined ? {} : { url }),
    }));
  if (options.length < MIN_CHOICES) return null;
  return { block_id: claim, accessory: { type: 'overflow', action_id: id, options } };
}

/**
 * Details in a line, with dots between them, and a menu beside it; in small print without one. A
 * person is a mention, which pings nobody in a message that only its reader sees; it is left out where
 * mrkdwn would format a text.
 */
export function detailsBeside(
  details: readonly Detail[],
  beside: Beside | null,
): types.SectionBlock | types.ContextBlock {
  const texts = details.filter((detail) => typeof detail === 'string');
  const toText = texts.every(isPlainInMrkdwn) ? inMarkup : inPlainText;
  const words =
    details
      .map(toText)
      .filter((word) => word !== '')
      .join(' · ') || '–';
  const text = toText === inMarkup ? markup(words) : plain(words, 3000);
  return beside ? { type: 'section', text, ...beside } : { type: 'context', elements: [text] };
}

function inMarkup(detail: Detail): string {
  if (typeof detail === 'string') return escapeMrkdwn(detail);
  return 'time' in detail ? dayAndTime(detail.time) : `<@${detail.person}>`;
}

function inPlainText(detail: Detail): string {
  if (typeof detail === 'string') return detail;
  return 'time' in detail ? shownMoment(detail.time) : '';
}

// In the reader's own time zone (https://docs.slack.dev/messaging/formatting-message-text).
function dayAndTime(at: number): string {
  return `<!date^${Math.floor(at / 1000)}^{date_short_pretty} at {time}|${shownMoment(at)}>`;
}

function markup(text: string): types.MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Buttons side by side; nothing when there is none. */
export function buttonRow(buttons: readonly (types.Button | null)[]): types.ActionsBlock[] {
  const elements = buttons.filter((button) => button !== null);
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

interface ButtonOptions<T> {
  action: Action<T>;
  /** A verb; Slack shows about 30 characters. */
  label: string;
  claim: T;
  /** What a screen reader says instead of the label, when that does not name the object. */
  spoken?: string;
  style?: 'primary' | 'danger';
  /** The dialog before the button acts; it names the object and the consequence. */
  confirm?: { title: string; text: string; confirm: string; deny: string };
}

export function button<T>(options: ButtonOptions<T>): types.Button {
  const { action, label, claim, spoken, style, confirm } = options;
  return {
    type: 'button',
    action_id: action.id,
    text: plain(label, 75),
    value: action.write(claim),
    ...(spoken === undefined ? {} : { accessibility_label: cut(spoken, 75) }),
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined ? {} : { confirm: dangerDialog(confirm) }),
  };
}

function dangerDialog(
  ask: NonNullable<ButtonOptions<unknown>['confirm']>,
): types.ConfirmationDialog {
  return {
    title: plain(ask.title, 100),
    text: plain(ask.text, 300),
    confirm: plain(ask.confirm, 30),
    deny: plain(ask.deny, 30),
    style: 'danger',
  };
}

/** Text where `:names:` do not become emoji; a space if empty, as Slack refuses empty text. */
export function plain(text: string, max: number): types.PlainTextElement {
  return { type: 'plain_text', text: cut(text, max) || ' ', emoji: false };
}

/** An option of a menu or of a field. */
export type Option = types.PlainTextOption;

/** Slack's limit for the text of an option, in UTF-16 units. */
export const MAX_OPTION_LENGTH = 75;

/** Returns an option, its text cut to MAX_OPTION_LENGTH. */
export function option(text: string, value: string): Option {
  return { text: plain(text, MAX_OPTION_LENGTH), value };
}

/** Slack's limit for the options of a menu. */
export const MAX_OPTIONS = 100;

/** A menu whose choice acts at once, of at most MAX_OPTIONS `items`; `chosen` is preselected. */
export function menu<T>(
  { id }: Pick<Action<unknown>, 'id'>,
  { spoken, items, chosen }: { spoken: string; items: readonly T[]; chosen: T },
  toOption: (item: T) => Option,
): types.StaticSelect {
  return {
    type: 'static_select',
    action_id: id,
    placeholder: plain(spoken, 150),
    options: items.map(toOption),
    initial_option: toOption(chosen),
  };
}

/**
 * Slack's own menu of the channels that a person sees, whose choice acts at once and changes the
 * claim (https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element). Slack reports
 * no second choice of one channel until the claim is another one.
 */
export function channelPicker<T>(
  { id, write }: Pick<Action<T>, 'id' | 'write'>,
  { spoken, claim }: { spoken: string; claim: T },
): types.ActionsBlock {
  const picker: types.ConversationsSelect = {
    type: 'conversations_select',
    action_id: id,
    placeholder: plain(spoken, 150),
    filter: { include: ['public', 'private'] },
  };
  return { type: 'actions', block_id: write(claim), elements: [picker] };
}

/** Which page of a list is shown. */
interface PageAt {
  /** From 1. */
  page: number;
  /** At least 1, also for an empty list. */
  pages: number;
}

/** A page of a list. */
interface Page<T> extends PageAt {
  items: readonly T[];
}

/** The page asked for, or the last one when the list has become shorter than that. */
export function pageOf<T>(items: readonly T[], size: number, page: number): Page<T> {
  const at = pageAt(items.length, size, page);
  return { ...at, items: items.slice((at.page - 1) * size, at.page * size) };
}

/** The same, of a list of which only the length is known. */
export function pageAt(length: number, size: number, page: number): PageAt {
  const pages = Math.max(1, Math.ceil(length / size));
  return { page: Math.min(Math.max(1, Math.trunc(page) || 1), pages), pages };
}

/** `page 2 of 5`; null when there is only one page. */
export function shownPage({ page, pages }: PageAt): string | null {
  return pages > 1 ? `page ${shownNumber(page)} of ${shownNumber(pages)}` : null;
}

export interface PagerOptions<T> {
  /** What is listed, in the singular. */
  noun: string;
  /** Lists sorted newest first also have a menu of all pages, shown for more than two. */
  actions: Record<'previous' | 'next', Action<T>> & { menu?: Action<T> };
  /** Returns the claim of the button to a page. */
  claimFor(page: number): T;
}

/** Slack's limit for a `block_id`, in characters. */
const MAX_BLOCK_ID_LENGTH = 255;

/**
 * The buttons to the previous and next page, the menu of pages, and `others` beside them. Menus are
 * left out when the claim that their choices change is too long for a `block_id`.
 */
export function pager<T>(
  at: PageAt,
  { noun, actions, claimFor }: PagerOptions<T>,
  ...others: (types.Button | types.StaticSelect | null)[]
): types.ActionsBlock[] {
  const { page, pages } = at;
  const [previous, next] = actions.menu ? ['Newer', 'Older'] : ['Previous', 'Next'];
  const to = (action: Action<T>, label: string, there: number) => {
    const spoken = `${label} ${noun}s: ${shownPage({ page: there, pages })}`;
    return there < 1 || there > pages
      ? null
      : button({ action, label, spoken, claim: claimFor(there) });
  };
  const controls = [
    to(actions.previous, previous, page - 1),
    to(actions.next, next, page + 1),
    actions.menu && pages > 2 ? pageMenu(at, actions.menu) : null,
    ...others,
  ].filter((control) => control !== null);
  const buttons = controls.filter((control) => control.type === 'button');
  // The block carries the claim that a choice changes: an option holds less text than a button.
  const claim = actions.next.write(claimFor(page));
  if (claim.length > MAX_BLOCK_ID_LENGTH || buttons.length === controls.length)
    return buttonRow(buttons);
  return [{ type: 'actions', block_id: claim, elements: controls }];
}

function pageMenu<T>(at: PageAt, action: Action<T>): types.StaticSelect {
  return menu(action, { spoken: 'Page', items: pagesToChoose(at), chosen: at.page }, (page) =>
    option(`Page ${shownNumber(page)}`, JSON.stringify({ page })),
  );
}

// All pages; if too many for a menu, the current one and an even selection from first to last.
function pagesToChoose({ page, pages }: PageAt): number[] {
  const count = Math.min(pages, MAX_OPTIONS - 1);
  const step = count > 1 ? (pages - 1) / (count - 1) : 0;
  const even = Array.from({ length: count }, (_, nth) => 1 + Math.round(nth * step));
  return [...new Set([...even, page])].sort((a, b) => a - b);
}

/** One message to Slack, or the response to a command or a button. */
export interface View {
  /** Read by notifications and screen readers: see spokenText. */
  text: string;
  /** The visible content. Names from people are in `plain_text`, `rich_text` or escaped. */
  blocks: Block[];
}

/** A view of blocks; null stands for none. */
export function viewOf(all: readonly (Block | null)[]): View {
  const blocks = all.filter((block) => block !== null);
  return { text: spokenText(blocks), blocks };
}

/** A view of several, one below the other. */
export function stacked(...views: readonly (View | null)[]): View {
  return viewOf(views.flatMap((view) => view?.blocks ?? []));
}

/** Slack advises at most 4,000 characters. */
const MAX_SPOKEN_LENGTH = 3_900;

/**
 * Returns the words of blocks, without their buttons and menus, as escaped mrkdwn for the `text` of
 * a message: screen readers read that in place of the blocks
 * (https://docs.slack.dev/messaging/#accessibility), and so do notifications.
 */
export function spokenText(blocks: readonly Block[]): string {
  const text = blocks.map(wordsOf).filter(Boolean).join('\n');
  if (text.length <= MAX_SPOKEN_LENGTH) return text;
  // No escape and no mention is cut in two.
  return `${beginning(text, MAX_SPOKEN_LENGTH - 1).replace(/(&\w*|<[^>]*)$/, '')}…`;
}

function wordsOf(block: Block): string {
  switch (block.type) {
    case 'header':
      return wordsIn(block.text);
    case 'section':
      return block.text ? wordsIn(block.text) : '';
    case 'context':
      return block.elements.flatMap((one) => ('text' in one ? wordsIn(one) : [])).join(' ');
    case 'rich_text':
      return block.elements
        .flatMap((one) => (one.type === 'rich_text_section' ? one.elements.map(pieceOf) : []))
        .join('');
    default:
      return '';
  }
}

// A link is read by its name, as in rich text.
function wordsIn({ type, text }: types.TextObject): string {
  return type === 'mrkdwn' ? text.replace(/<http[^|>]*\|([^>]*)>/g, '$1') : escapeMrkdwn(text);
}

function pieceOf(piece: types.RichTextElement): string {
  if (piece.type === 'user') return `<@${piece.user_id}>`;
  if (piece.type === 'channel') return `<#${piece.channel_id}>`;
  return escapeMrkdwn(plainWords(piece));
}

/** Returns the words of a piece of rich text, for where Slack shows no person and no channel. */
export function plainWords(piece: types.RichTextElement): string {
  if (piece.type === 'channel') return 'a channel';
  if (piece.type === 'date') return piece.fallback ?? '';
  return 'text' in piece ? (piece.text ?? '') : 'somebody';
}
