import { h } from '../base/dom.js';
import { formatSlackDate } from '../base/format.js';
import { drawElement } from './elements.js';
import { channelMention, link, personMention } from './references.js';
import { emoji, plainText, textObject } from './text.js';

/**
 * Draws blocks (https://docs.slack.dev/reference/block-kit/blocks). Their elements call `handlers`:
 * `press(action, control)` for a press or choice, `suggest(actionId, typed)` for the options of an
 * external select, `remember(actionId, choice)`, which only forms have, for each value.
 */
export function drawBlocks(blocks, handlers) {
  return blocks.map((block) => (DRAWERS[block.type] ?? unknown)(block, handlers));
}

const DRAWERS = {
  section: (block, handlers) =>
    h(
      'div.block-section',
      h('div.block-main', textOf(block.text), fieldsOf(block.fields)),
      block.accessory && accessory(block, handlers),
    ),
  header: ({ text }) => h('h3.block-header', textObject(text)),
  divider: () => h('hr.block-divider'),
  context: ({ elements }) => h('div.block-context.fine-print', elements.map(contextElement)),
  actions: ({ elements, block_id: blockId }, handlers) => {
    const drawn = elements.map((element) => drawElement(element, { blockId, handlers }));
    return h('div.block-actions', drawn);
  },
  image: ({ title, alt_text: words }) =>
    h('figure', title && h('figcaption', plainText(title)), imagePlaceholder(words)),
  rich_text: ({ elements }) => {
    const sections = elements.map((section) => RICH_SECTIONS[section.type]?.(section));
    return h('div.rich-text', sections);
  },
  input,
};

function unknown({ type }) {
  return h('p.block-unknown', `A block of the type ${type} cannot be shown here.`);
}

function textOf(text) {
  return text && h('div.block-text', textObject(text));
}

function fieldsOf(fields) {
  return fields && h('div.block-fields', fields.map(textOf));
}

function accessory({ accessory: element, block_id: blockId }, handlers) {
  const drawn =
    element.type === 'image'
      ? imagePlaceholder(element.alt_text)
      : drawElement(element, { blockId, handlers });
  return h('div.block-accessory', drawn);
}

function contextElement(element) {
  return element.type === 'image'
    ? imagePlaceholder(element.alt_text)
    : h('span', textObject(element));
}

// The page loads nothing from other sites, so it shows the alternative text instead.
function imagePlaceholder(words = '') {
  return h('span.image-placeholder', { role: 'img', 'aria-label': words }, words);
}

function input(
  { label, element, hint, optional, dispatch_action: isDispatched, ...rest },
  handlers,
) {
  const { block_id: blockId } = rest;
  const id = `input-${blockId}`;
  const field = { ...element, visibleLabel: plainText(label) };
  const drawn = drawElement(field, { blockId, handlers, id, isInput: !isDispatched });
  Object.assign(drawn.dataset, { block: blockId, action: element.action_id });
  return h(
    'div.block-input',
    h('label', { for: id }, plainText(label), optional && h('span.optional', ' (optional)')),
    drawn,
    hint && h('p.hint.fine-print', plainText(hint)),
  );
}

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
const RICH_SECTIONS = {
  rich_text_section: ({ elements }) => h('p', elements.map(richElement)),
  rich_text_preformatted: ({ elements }) => h('pre', elements.map(richElement)),
  rich_text_quote: ({ elements }) => h('blockquote', elements.map(richElement)),
  rich_text_list: ({ style, elements, indent = 0 }) => {
    const items = elements.map((item) => h('li', item.elements.map(richElement)));
    const list = h(style === 'ordered' ? 'ol.rich-list' : 'ul.rich-list', items);
    list.style.setProperty('--indent', Math.min(indent, 3));
    return list;
  },
};

const RICH_ELEMENTS = {
  text: ({ text }) => text,
  link: ({ url, text }) => link(url, text ?? url),
  user: ({ user_id }) => personMention(user_id),
  channel: ({ channel_id }) => channelMention(channel_id),
  usergroup: () => h('span.mention', '@group'),
  broadcast: ({ range }) => h('span.mention', `@${range}`),
  emoji: ({ name }) => emoji(name),
  date: ({ timestamp, format, fallback }) =>
    h('time', { title: fallback }, formatSlackDate(timestamp, format)),
};

const RICH_STYLES = { bold: 'strong', italic: 'em', strike: 's', code: 'code' };

function richElement(element) {
  const plain = RICH_ELEMENTS[element.type]?.(element) ?? '';
  return Object.entries(RICH_STYLES).reduce(
    (inner, [style, tag]) => (element.style?.[style] ? h(tag, {}, inner) : inner),
    plain,
  );
}
