import { h } from '../base/dom.js';
import { choose } from './choose.js';
import { labelOf, placeholderOf } from './element-labels.js';

const INPUT_TYPES = { email_text_input: 'email', url_text_input: 'url', number_input: 'number' };

/** Draws a text field; `inputType` makes it a date or time field. */
export function textInput(element, at) {
  const written = ({ currentTarget: control }) =>
    at.scene.remember?.(element.action_id, control.value);
  const finished = ({ currentTarget: control }) =>
    at.isInput || choose(element, at, { choice: control.value, control });
  const props = {
    id: at.id,
    class: 'text-input',
    placeholder: placeholderOf(element),
    'aria-label': labelOf(element),
    maxlength: element.max_length,
    on: { input: written, change: finished },
  };
  const initial = element.initial_value ?? element.initial_date ?? element.initial_time ?? '';
  if (element.multiline) return h('textarea', { ...props, rows: 4 }, initial);
  const type = element.inputType ?? INPUT_TYPES[element.type] ?? 'text';
  return h('input', { ...props, type, value: initial });
}
