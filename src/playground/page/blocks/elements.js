import { button, h } from '../base/dom.js';
import { menuButton } from '../base/menu-button.js';
import { entry, viewer } from '../base/state.js';
import { choose } from './actions.js';
import { externalSelect } from './external-select.js';
import { link } from './references.js';
import { plainText } from './text.js';

/**
 * Draws an interactive element (https://docs.slack.dev/reference/block-kit/block-elements) of the
 * kinds that Pigeonhole uses. `context`: its `blockId`, the `handlers`, and for a form's field its `id` and `isInput`.
 */
export function drawElement(element, context) {
  const draw = DRAWERS[element.type];
  return draw ? draw(element, context) : h('span.block-unknown', `[${element.type}]`);
}

const DRAWERS = {
  button: pressButton,
  overflow,
  static_select: select,
  external_select: externalSelect,
  conversations_select: conversationsSelect,
  radio_buttons: (element, context) => optionGroup(element, context, 'radio'),
  checkboxes: (element, context) => optionGroup(element, context, 'checkbox'),
  plain_text_input: textInput,
};

const BUTTON_STYLES = { primary: '.button.button-primary', danger: '.button.button-danger' };

function pressButton(element, context) {
  const { text, style, url, accessibility_label: label } = element;
  const classes = BUTTON_STYLES[style] ?? '.button';
  const press = (event) => {
    // The second click of a double click may have begun in another button's confirmation.
    if (element.confirm && event.detail > 1) return;
    void choose(element, context, { control: event.currentTarget });
  };
  if (!url) return button(press, classes, { 'aria-label': label }, plainText(text));
  const node = link(url, plainText(text), classes);
  node.addEventListener('click', press);
  return node;
}

function overflow(element, context) {
  const items = () =>
    element.options.map(({ text, value, url }) => ({
      label: plainText(text),
      act: () => {
        const opened = url && link(url, '');
        if (opened) opened.click();
        // The app need not respond to an opened address, so the menu does not wait for that.
        void choose(element, context, { choice: value, control: opened || node.firstElementChild });
      },
    }));
  const label = element.accessibility_label ?? 'More actions';
  const node = menuButton({ face: '⋯', label, items });
  node.firstElementChild.classList.add('button');
  return node;
}

function select(element, context) {
  const chosen = initialValues(element);
  const options = element.options.map(({ text, value }) =>
    h('option', { value, selected: chosen.has(value) }, plainText(text)),
  );
  const placeholder = { value: '', disabled: true, selected: chosen.size === 0 };
  const changed = ({ currentTarget: control }) =>
    choose(element, context, { choice: control.value, control });
  return h(
    'select.select',
    { id: context.id, 'aria-label': labelOf(element), on: { change: changed } },
    h('option', placeholder, placeholderOf(element)),
    options,
  );
}

// Offers what Slack does: public channels, and the private ones that the person is in.
function conversationsSelect(element, context) {
  const { include } = element.filter;
  const shown = entry('workspace').channels.filter(
    ({ kind, members }) =>
      include.includes(kind) && (kind === 'public' || members.includes(viewer().person)),
  );
  const options = shown.map(({ id, name }) => ({
    value: id,
    text: { type: 'plain_text', text: `#${name}`, emoji: false },
  }));
  return select({ ...element, options }, context);
}

// Radio buttons or checkboxes, as `type` says.
function optionGroup(element, context, type) {
  const chosen = initialValues(element);
  const changed = ({ currentTarget: control }) => {
    const values = [...control.querySelectorAll('input:checked')].map((one) => one.value);
    void choose(element, context, { choice: type === 'radio' ? values[0] : values, control });
  };
  const name = `${context.blockId}-${element.action_id}`;
  const rows = element.options.map(({ text, value, description }) =>
    h(
      'label',
      h('input', { type, name, value, checked: chosen.has(value) }),
      h('span', plainText(text)),
      description && h('span.hint.fine-print', plainText(description)),
    ),
  );
  // Browsers do not associate a `label` with a fieldset.
  const label = element.visibleLabel ?? labelOf(element);
  const props = { id: context.id, 'aria-label': label };
  return h('fieldset.option-group', { ...props, on: { change: changed } }, rows);
}

function textInput(element, context) {
  const written = ({ currentTarget: control }) =>
    context.handlers.remember?.(element.action_id, control.value);
  const finished = ({ currentTarget: control }) =>
    context.isInput || choose(element, context, { choice: control.value, control });
  const props = {
    id: context.id,
    placeholder: placeholderOf(element),
    'aria-label': labelOf(element),
    maxlength: element.max_length,
    on: { input: written, change: finished },
  };
  const value = element.initial_value ?? '';
  if (element.multiline) return h('textarea.text-input', { ...props, rows: 3 }, value);
  return h('input.text-input', { ...props, type: 'text', value });
}

function initialValues({ initial_option: one, initial_options: many }) {
  return new Set([one ?? [], many ?? []].flat().map(({ value }) => value));
}

function placeholderOf({ placeholder }) {
  return plainText(placeholder) || 'Choose…';
}

// An element's accessible name; null if a visible label gives it, or there is none.
function labelOf({ visibleLabel, accessibility_label: label, placeholder }) {
  return label ?? (visibleLabel ? null : plainText(placeholder) || null);
}
