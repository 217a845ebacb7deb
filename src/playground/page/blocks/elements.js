import { button, h } from '../base/dom.js';
import { entry } from '../base/state.js';
import { choose } from './actions.js';
import { externalSelect } from './external-select.js';
import { plainText } from './text.js';

/**
 * Draws an interactive element (https://docs.slack.dev/reference/block-kit/block-elements).
 * `context`: its `blockId`, the `handlers`, and for a form's field its `id` and `isInput`.
 */
export function drawElement(element, context) {
  const draw = DRAWERS[element.type];
  return draw ? draw(element, context) : h('span.block-unknown', `[${element.type}]`);
}

const DRAWERS = {
  button: pressButton,
  overflow,
  static_select: select,
  multi_static_select: select,
  users_select: (element, context) => select({ ...element, options: peopleOptions() }, context),
  channels_select: channelSelect,
  conversations_select: channelSelect,
  external_select: externalSelect,
  radio_buttons: (element, context) => optionGroup(element, context, 'radio'),
  checkboxes: (element, context) => optionGroup(element, context, 'checkbox'),
  plain_text_input: textInput,
  email_text_input: (element, context) => textInput(element, context, 'email'),
  url_text_input: (element, context) => textInput(element, context, 'url'),
  number_input: (element, context) => textInput(element, context, 'number'),
  datepicker: (element, context) => textInput(element, context, 'date'),
  timepicker: (element, context) => textInput(element, context, 'time'),
};

const BUTTON_STYLES = { primary: '.button.button-primary', danger: '.button.button-danger' };

function pressButton(element, context) {
  const { text, style, accessibility_label: label } = element;
  const press = (event) => {
    // The second click of a double click may have begun in another button's confirmation.
    if (element.confirm && event.detail > 1) return;
    choose(element, context, { control: event.currentTarget });
  };
  return button(press, BUTTON_STYLES[style] ?? '.button', { 'aria-label': label }, plainText(text));
}

function overflow(element, context) {
  const pick = (value) => (event) => {
    menu.open = false;
    choose(element, context, { choice: value, control: event.currentTarget });
  };
  const items = element.options.map(({ text, value }) => button(pick(value), '', plainText(text)));
  const menu = h(
    'details.overflow',
    h('summary', { 'aria-label': 'More actions' }, '⋯'),
    h('div.overflow-menu.card', items),
  );
  return menu;
}

// For one option or several.
function select(element, context) {
  const isMany = element.type.startsWith('multi_');
  const chosen = initialValues(element);
  const drawOption = ({ text, value }) =>
    h('option', { value, selected: chosen.has(value) }, plainText(text));
  const groups = element.option_groups?.map(({ label, options }) =>
    h('optgroup', { label: plainText(label) }, options.map(drawOption)),
  );
  const placeholder = { value: '', disabled: true, selected: chosen.size === 0 };
  const changed = ({ currentTarget: control }) => {
    const values = [...control.selectedOptions].map(({ value }) => value);
    choose(element, context, { choice: isMany ? values : values[0], control });
  };
  const props = { multiple: isMany, on: { change: changed } };
  return h(
    'select.select',
    { id: context.id, 'aria-label': labelOf(element), ...props },
    !isMany && h('option', placeholder, placeholderOf(element)),
    element.options?.map(drawOption),
    groups,
  );
}

// Radio buttons or checkboxes, as `type` says.
function optionGroup(element, context, type) {
  const chosen = initialValues(element);
  const changed = ({ currentTarget: control }) => {
    const values = [...control.querySelectorAll('input:checked')].map((one) => one.value);
    choose(element, context, { choice: type === 'radio' ? values[0] : values, control });
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

function textInput(element, context, type = 'text') {
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
  const initial = element.initial_value ?? element.initial_date ?? element.initial_time ?? '';
  if (element.multiline) return h('textarea.text-input', { ...props, rows: 4 }, initial);
  return h('input.text-input', { ...props, type, value: initial });
}

function channelSelect(element, context) {
  return select({ ...element, options: channelOptions() }, context);
}

function peopleOptions() {
  return entry('workspace').people.map(({ id, shownName }) => option(shownName, id));
}

function channelOptions() {
  const named = entry('workspace').channels.filter(({ kind }) => kind !== 'direct');
  return named.map(({ id, name }) => option(`#${name}`, id));
}

function option(text, value) {
  return { text: { type: 'plain_text', text, emoji: false }, value };
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
