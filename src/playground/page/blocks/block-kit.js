import { h } from '../base/dom.js';
import { drawElement } from './elements.js';
import { richText } from './rich-text.js';
import { plainText, textObject } from './text-object.js';

/**
 * Draws blocks (https://docs.slack.dev/reference/block-kit/blocks). Their elements call `scene`:
 * `act(action, control)` for a press or choice, `suggest(place, typed)` for the options of an
 * external select, `remember(actionId, choice)`, which only forms have, for each value.
 */
export function drawBlocks(blocks, scene) {
  return blocks.map((block) => (DRAWERS[block.type] ?? unknown)(block, scene));
}

const DRAWERS = {
  section: (block, scene) =>
    h(
      'div',
      { class: 'block-section' },
      h('div', { class: 'block-main' }, textOf(block.text), fieldsOf(block.fields)),
      block.accessory && accessory(block, scene),
    ),
  header: ({ text }) => h('h3', { class: 'block-header' }, ...textObject(text)),
  divider: () => h('hr', { class: 'block-divider' }),
  context: ({ elements }) => h('div', { class: 'block-context' }, ...elements.map(contextElement)),
  actions: ({ elements, block_id: blockId }, scene) =>
    h(
      'div',
      { class: 'block-actions' },
      ...elements.map((element) => drawElement(element, { blockId, scene })),
    ),
  image: (block) =>
    h(
      'figure',
      { class: 'block-image' },
      block.title && h('figcaption', {}, plainText(block.title)),
      picture(block),
    ),
  rich_text: (block) => richText(block),
  input: (block, scene) => input(block, scene),
};

function unknown({ type }) {
  return h('p', { class: 'block-unknown' }, `A block of the type ${type} cannot be shown here.`);
}

function textOf(text) {
  return text && h('div', { class: 'block-text' }, ...textObject(text));
}

function fieldsOf(fields) {
  if (!fields) return null;
  return h('div', { class: 'block-fields' }, ...fields.map((field) => textOf(field)));
}

function accessory({ accessory: element, block_id: blockId }, scene) {
  const drawn =
    element.type === 'image' ? picture(element) : drawElement(element, { blockId, scene });
  return h('div', { class: 'block-accessory' }, drawn);
}

function contextElement(element) {
  return element.type === 'image' ? picture(element) : h('span', {}, ...textObject(element));
}

// The page loads nothing from other sites, so it shows the alternative text instead.
function picture({ alt_text: words = '' }) {
  return h('span', { class: 'picture-place', role: 'img', 'aria-label': words }, words);
}

function input({ label, element, hint, optional, dispatch_action: isHeard, ...block }, scene) {
  const { block_id: blockId } = block;
  const id = `input-${blockId}`;
  const field = { ...element, shownLabel: plainText(label) };
  const drawn = drawElement(field, { blockId, scene, id, isInput: !isHeard });
  Object.assign(drawn.dataset, { block: blockId, action: element.action_id });
  return h(
    'div',
    { class: 'block-input' },
    h(
      'label',
      { for: id },
      plainText(label),
      optional && h('span', { class: 'optional' }, ' (optional)'),
    ),
    drawn,
    hint && h('p', { class: 'hint' }, plainText(hint)),
  );
}
