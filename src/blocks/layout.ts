import type { types } from '@slack/bolt';
import { cut } from './cut.ts';

type Button = types.Button;

/** A title in large type. */
export function heading(text: string): types.HeaderBlock {
  return { type: 'header', text: plain(text, 150) };
}

/** A line with a button of its own. */
export function entry(text: string, button: Button | null): types.SectionBlock {
  const section: types.SectionBlock = { type: 'section', text: plain(text, 3000) };
  return button === null ? section : { ...section, accessory: button };
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
 * message that its reader alone sees.
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
export function buttonRow(buttons: readonly (Button | null)[]): types.ActionsBlock[] {
  const elements = buttons.filter((button) => button !== null);
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/** A `plain_text` object, in which `:names:` stay as they are. Slack refuses an empty one. */
export function plain(text: string, max: number): types.PlainTextElement {
  return { type: 'plain_text', text: cut(text, max) || ' ', emoji: false };
}
