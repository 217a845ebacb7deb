import { h } from '../base/dom.js';
import { formatSlackDate } from '../base/format.js';
import { drawElement } from './elements.js';
import { channelMention, link, personMention } from './references.js';
import { emoji, plainText, textObject } from './text.js';

/**
 * Draws blocks (https://docs.slack.dev/reference/block-kit/blocks) of the kinds that Pigeonhole uses.
 * Their elements call `handlers`:
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
      h('div.block-main', h('div.block-text', textObject(block.text))),
      block.accessory && accessory(block, handlers),
    ),
  header: ({ text }) => h('h3.block-header', textObject(text)),
  context: ({ elements }) => {
    const texts = elements.map((text) => h('span', textObject(text)));
    return h('div.block-context.fine-print', texts);
  },
  actions: ({ elements, block_id: blockId }, handlers) => {
    const drawn = elements.map((element) => drawElement(element, { blockId, handlers }));
    return h('div.block-actions', drawn);
  },
  rich_text: ({ elements }) => h('div.rich-text', elements.map(richPart)),
  input,
};

function unknown({ type }) {
  return h('p.block-unknown', `A block of the type ${type} cannot be shown here.`);
}

function accessory({ accessory: element, block_id: blockId }, handlers) {
  return h('div.block-accessory', drawElement(element, { blockId, handlers }));
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

const RICH_PARTS = {
  rich_text_section: 'p',
  rich_text_preformatted: 'pre',
  rich_text_quote: 'blockquote',
};

function richPart({ type, style, elements }) {
  if (type !== 'rich_text_list') return h(RICH_PARTS[type] ?? 'p', elements.map(richElement));
  const items = elements.map((section) => h('li', section.elements.map(richElement)));
  return h(style === 'ordered' ? 'ol' : 'ul', items);
}

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
const RICH_ELEMENTS = {
  text: ({ text }) => text,
  link: ({ url, text }) => link(url, text ?? url),
  user: ({ user_id }) => personMention(user_id),
  channel: ({ channel_id }) => channelMention(channel_id),
  emoji: ({ name }) => emoji(name),
  date: ({ timestamp, format, fallback }) =>
    h('time', { title: fallback }, formatSlackDate(timestamp, format)),
};

function richElement(element) {
  const plain = RICH_ELEMENTS[element.type]?.(element) ?? '';
  const { bold, italic, strike, code } = element.style ?? {};
  const styled = [code && 'code', strike && 's', italic && 'em', bold && 'strong'];
  return styled.filter(Boolean).reduce((inner, tag) => h(tag, inner), plain);
}
