import { h } from '../base/dom.js';
import { part } from '../base/state.js';
import { choose } from './choose.js';
import { select, ticks } from './choosers.js';
import { externalSelect } from './external-select.js';
import { textInput } from './text-input.js';
import { plainText } from './text-object.js';

/**
 * Draws an interactive element (https://docs.slack.dev/reference/block-kit/block-elements). `at`:
 * its `blockId`, the `scene`, and for a form's field its `id` and `isInput`.
 */
export function drawElement(element, at) {
  const draw = DRAWERS[element.type];
  return draw ? draw(element, at) : h('span', { class: 'block-unknown' }, `[${element.type}]`);
}

const DRAWERS = {
  button,
  overflow,
  static_select: select,
  multi_static_select: select,
  users_select: (element, at) => select({ ...element, options: peopleOptions() }, at),
  channels_select: (element, at) => select({ ...element, options: channelOptions() }, at),
  conversations_select: (element, at) => select({ ...element, options: channelOptions() }, at),
  external_select: externalSelect,
  radio_buttons: (element, at) => ticks(element, at, 'radio'),
  checkboxes: (element, at) => ticks(element, at, 'checkbox'),
  plain_text_input: textInput,
  email_text_input: textInput,
  url_text_input: textInput,
  number_input: textInput,
  datepicker: (element, at) => textInput({ ...element, inputType: 'date' }, at),
  timepicker: (element, at) => textInput({ ...element, inputType: 'time' }, at),
};

function button(element, at) {
  const { text, style, accessibility_label: label } = element;
  const look = style === 'primary' ? 'button-primary' : style === 'danger' ? 'button-danger' : '';
  const press = (event) => choose(element, at, { control: event.currentTarget });
  return h(
    'button',
    { type: 'button', class: `button ${look}`, 'aria-label': label, on: { click: press } },
    plainText(text),
  );
}

function overflow(element, at) {
  const menu = h(
    'details',
    { class: 'overflow' },
    h('summary', { 'aria-label': 'More actions' }, '⋯'),
  );
  const pick = (value) => (event) => {
    menu.open = false;
    choose(element, at, { choice: value, control: event.currentTarget });
  };
  const items = element.options.map(({ text, value }) =>
    h('button', { type: 'button', on: { click: pick(value) } }, plainText(text)),
  );
  menu.append(h('div', { class: 'overflow-menu' }, ...items));
  return menu;
}

function peopleOptions() {
  return part('workspace').people.map(({ id, shownName }) => option(shownName, id));
}

function channelOptions() {
  const named = part('workspace').channels.filter(({ kind }) => kind !== 'direct');
  return named.map(({ id, name }) => option(`#${name}`, id));
}

function option(text, value) {
  return { text: { type: 'plain_text', text, emoji: false }, value };
}
