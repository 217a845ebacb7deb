import { h } from '../base/dom.js';
import { slackDate } from '../base/shown.js';
import { emoji } from './emoji.js';
import { link } from './link.js';
import { channelMention, personMention } from './people.js';

const SECTIONS = {
  rich_text_section: ({ elements }) => h('p', {}, ...elements.map(piece)),
  rich_text_preformatted: ({ elements }) => h('pre', {}, ...elements.map(piece)),
  rich_text_quote: ({ elements }) => h('blockquote', {}, ...elements.map(piece)),
  rich_text_list: ({ style, elements, indent = 0 }) =>
    h(
      style === 'ordered' ? 'ol' : 'ul',
      { class: `rich-list indent-${Math.min(indent, 4)}` },
      ...elements.map((item) => h('li', {}, ...item.elements.map(piece))),
    ),
};

/** Draws `rich_text` blocks (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). */
export function richText({ elements }) {
  return h('div', { class: 'rich-text' }, ...elements.map((one) => SECTIONS[one.type]?.(one)));
}

const PIECES = {
  text: ({ text }) => text,
  link: ({ url, text }) => link(url, text ?? url),
  user: ({ user_id }) => personMention(user_id),
  channel: ({ channel_id }) => channelMention(channel_id),
  usergroup: () => h('span', { class: 'mention' }, '@group'),
  broadcast: ({ range }) => h('span', { class: 'mention' }, `@${range}`),
  emoji: ({ name }) => emoji(name),
  date: ({ timestamp, format, fallback }) =>
    h('time', { title: fallback }, slackDate(timestamp, format)),
};

const STYLES = { bold: 'strong', italic: 'em', strike: 's', code: 'code' };

function piece(element) {
  const plain = PIECES[element.type]?.(element) ?? '';
  return Object.entries(STYLES).reduce(
    (inner, [style, tag]) => (element.style?.[style] ? h(tag, {}, inner) : inner),
    plain,
  );
}
