import { button, h } from '../base/dom.js';
import { choose } from './actions.js';
import { externalSelect } from './external-select.js';
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
  static_select: select,
  external_select: externalSelect,
  radio_buttons: (element, context) => optionGroup(element, context, 'radio'),
  checkboxes: (element, context) => optionGroup(element, context, 'checkbox'),
  plain_text_input: textInput,
};

const BUTTON_STYLES = { primary: '.button.button-primary', danger: '.button.button-danger' };

function pressButton(element, context) {
  const { text, style, accessibility_label: label } = element;
  const press = (event) => {
    // The second click of a double click may have begun in another button's confirmation.
    if (element.confirm && event.detail > 1) return;
    void choose(element, context, { control: event.currentTarget });
  };
  return button(press, BUTTON_STYLES[style] ?? '.button', { 'aria-label': label }, plainText(text));
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
  return h('input.text-input', { ...props, type: 'text', value: element.initial_value ?? '' });
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
