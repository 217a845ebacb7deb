import type { types } from '@slack/bolt';
import type { ActionId, PageActions } from './actions.ts';
import { cut, escapeMrkdwn, shownClock, shownDate, shownNumber, shownSpan } from './text.ts';

export type Block = types.KnownBlock;

/** A title in large type. */
export function heading(text: string): types.HeaderBlock {
  return { type: 'header', text: plain(text, 150) };
}

/**
 * A line with a button of its own; with an address as linkAddress returns it, a link, whose text must be
 * one that staysAsItIs.
 */
export function entry(
  text: string,
  accessory: types.Button | null,
  link: string | null = null,
): types.SectionBlock {
  const shown = link === null ? plain(text, 3000) : markup(`<${link}|${escapeMrkdwn(text)}>`);
  return { type: 'section', text: shown, ...(accessory ? { accessory } : {}) };
}

/** A line in small print. */
export function smallPrint(text: string): types.ContextBlock {
  return { type: 'context', elements: [plain(text, 1000)] };
}

/**
 * A detail: text, a person by Slack's identifier, a day and time in epoch milliseconds, or a link: an
 * address as linkAddress returns it, with a label in our words.
 */
export type Detail =
  | string
  | { person: string }
  | { time: number }
  | { link: string; label: string };

/**
 * Details in small print, with dots between them. A person is a mention, which pings nobody in a
 * message that only its reader sees.
 */
export function detailsLine(details: readonly Detail[]): types.ContextBlock {
  const elements = details.map((detail, index) => {
    const dot = index === 0 ? '' : '· ';
    if (typeof detail === 'string') return plain(`${dot}${detail}`, 300);
    if ('person' in detail) return markup(`${dot}<@${detail.person}>`);
    if ('time' in detail) return markup(`${dot}${dayAndTime(detail.time)}`);
    return markup(`${dot}<${detail.link}|${detail.label}>`);
  });
  return { type: 'context', elements };
}

// In the reader's own time zone (https://docs.slack.dev/messaging/formatting-message-text).
function dayAndTime(at: number): string {
  const fallback = `${shownDate(at)}, ${shownClock(at)}`;
  return `<!date^${Math.floor(at / 1000)}^{date_short_pretty} at {time}|${fallback}>`;
}

function markup(text: string): types.MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Buttons side by side; nothing when there is none. */
export function buttonRow(buttons: readonly (types.Button | null)[]): types.ActionsBlock[] {
  const elements = buttons.filter((button) => button !== null);
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

export interface ButtonOptions {
  action: ActionId;
  /** A verb; Slack shows about 30 characters. */
  label: string;
  /** Written by one of the values in `actions.ts`. */
  value: string;
  /** What a screen reader says instead of the label, when that does not name the object. */
  spoken?: string;
  style?: 'primary' | 'danger';
  /** The question before the button acts: it names the object and what follows. */
  confirm?: { title: string; text: string; confirm: string; deny: string };
}

export function button(options: ButtonOptions): types.Button {
  const { action, label, value, spoken, style, confirm } = options;
  return {
    type: 'button',
    action_id: action,
    text: plain(label, 75),
    value,
    ...(spoken === undefined ? {} : { accessibility_label: cut(spoken, 75) }),
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined ? {} : { confirm: dangerDialog(confirm) }),
  };
}

function dangerDialog(ask: NonNullable<ButtonOptions['confirm']>): types.ConfirmationDialog {
  return {
    title: plain(ask.title, 100),
    text: plain(ask.text, 300),
    confirm: plain(ask.confirm, 30),
    deny: plain(ask.deny, 30),
    style: 'danger',
  };
}

/** Text of ours or of a person's as it is: `:names:` stay so. Slack refuses an empty one. */
export function plain(text: string, max: number): types.PlainTextElement {
  return { type: 'plain_text', text: cut(text, max) || ' ', emoji: false };
}

/** An option of a menu; `value` is read by chosenValue. */
export interface MenuOption {
  label: string;
  value: object;
}

/** Slack takes so many options in a menu. */
export const MOST_OPTIONS = 100;

/** A menu to choose one from, which acts at once. */
export function menu(
  action: ActionId,
  { spoken, options, chosen }: { spoken: string; options: MenuOption[]; chosen: MenuOption },
): types.StaticSelect {
  const toOption = ({ label, value }: MenuOption) => ({
    text: plain(label, 75),
    value: JSON.stringify(value),
  });
  return {
    type: 'static_select',
    action_id: action,
    placeholder: plain(spoken, 150),
    options: options.slice(0, MOST_OPTIONS).map(toOption),
    initial_option: toOption(chosen),
  };
}

/** Which page of a list is shown. */
interface PageAt {
  /** From 1. */
  page: number;
  /** At least 1, also for an empty list. */
  pages: number;
}

/** A page of a list. */
export interface Page<T> extends PageAt {
  items: readonly T[];
}

/** The page asked for, or the last one when the list has become shorter than that. */
export function pageOf<T>(items: readonly T[], size: number, page: number): Page<T> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const shown = Math.min(Math.max(1, Math.trunc(page) || 1), pages);
  return { items: items.slice((shown - 1) * size, shown * size), page: shown, pages };
}

/** Which page of how many; null for the only one. */
export function shownPage({ page, pages }: PageAt): string | null {
  return pages > 1 ? `page ${shownNumber(page)} of ${shownNumber(pages)}` : null;
}

export interface PagerOptions {
  /** With a menu for lists whose newest entries stand first: it leads to any page, of more than two. */
  actions: PageActions;
  /** What a button to a page carries. */
  valueFor(page: number): string;
}

/** Slack takes so many characters in a block's identifier. */
const LONGEST_BLOCK_ID = 255;

/**
 * The ways to the pages before and after this one and to any other, and controls beside them. Menus are
 * left out where Slack takes no identifier as long as what their choices change.
 */
export function pager(
  at: PageAt,
  { actions, valueFor }: PagerOptions,
  ...others: (types.Button | types.StaticSelect | null)[]
): types.ActionsBlock[] {
  const { page, pages } = at;
  const [previous, next] = 'menu' in actions ? ['Newer', 'Older'] : ['Previous', 'Next'];
  const to = (action: ActionId, label: string, there: number) =>
    there < 1 || there > pages ? null : button({ action, label, value: valueFor(there) });
  const before = to(actions.previous, previous, page - 1);
  const after = to(actions.next, next, page + 1);
  const any = 'menu' in actions && pages > 2 ? pageMenu(at, actions.menu) : null;
  const controls = [before, after, any, ...others].filter((control) => control !== null);
  const buttons = controls.filter((control) => control.type === 'button');
  // The claim that their choices change: an option of a menu holds less than a button does.
  const claim = valueFor(page);
  if (claim.length > LONGEST_BLOCK_ID || buttons.length === controls.length)
    return buttonRow(buttons);
  return [{ type: 'actions', block_id: claim, elements: controls }];
}

function pageMenu(at: PageAt, action: ActionId): types.StaticSelect {
  const toOption = (page: number): MenuOption => ({
    label: `Page ${shownNumber(page)}`,
    value: { page },
  });
  const options = pagesToChoose(at).map(toOption);
  return menu(action, { spoken: 'Page', options, chosen: toOption(at.page) });
}

// All pages, or the first and the last with others evenly between, and this one.
function pagesToChoose({ page, pages }: PageAt): number[] {
  const count = Math.min(pages, MOST_OPTIONS - 1);
  const step = count > 1 ? (pages - 1) / (count - 1) : 0;
  const even = Array.from({ length: count }, (_, nth) => 1 + Math.round(nth * step));
  return [...new Set([...even, page])].sort((a, b) => a - b);
}

/** How old the copy is that a list was made from, for its line of small print; null when fresh. */
export function shownCopyAge(ageMs: number | null): string | null {
  return ageMs === null ? null : `as of ${shownSpan(ageMs)} ago`;
}

/** The button that reads anew a list that was made from a copy; null for one that is fresh. */
export function refreshButton(
  ageMs: number | null,
  refresh: { action: ActionId; value: string },
): types.Button | null {
  return ageMs === null ? null : button({ ...refresh, label: 'Refresh' });
}
