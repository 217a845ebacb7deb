import type { types } from '@slack/bolt';
import type { ActionId } from './actions.ts';
import { cut, escapeMrkdwn } from './text.ts';

export type Block = types.KnownBlock;

/** A title in large type. */
export function heading(text: string): types.HeaderBlock {
  return { type: 'header', text: plain(text, 150) };
}

/** A line with a button of its own; with an address as linkAddress returns it, a link. */
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
 * A detail: text, a person by Slack's identifier, or a link: an address as linkAddress returns it,
 * with a label in our words.
 */
export type Detail = string | { person: string } | { link: string; label: string };

/**
 * Details in small print, with dots between them. A person is a mention, which pings nobody in a
 * message that only its reader sees.
 */
export function detailsLine(details: readonly Detail[]): types.ContextBlock {
  const elements = details.map((detail, index) => {
    const dot = index === 0 ? '' : '· ';
    if (typeof detail === 'string') return plain(`${dot}${detail}`, 300);
    if ('person' in detail) return markup(`${dot}<@${detail.person}>`);
    return markup(`${dot}<${detail.link}|${detail.label}>`);
  });
  return { type: 'context', elements };
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

// In `plain_text`, `:names:` stay as they are. Slack refuses an empty one.
function plain(text: string, max: number): types.PlainTextElement {
  return { type: 'plain_text', text: cut(text, max) || ' ', emoji: false };
}
