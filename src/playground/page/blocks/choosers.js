import { h } from '../base/dom.js';
import { choose } from './choose.js';
import { labelOf, placeholderOf } from './element-labels.js';
import { plainText } from './text-object.js';

/** Draws a select for one option or several. */
export function select(element, at) {
  const isMany = element.type.startsWith('multi_');
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat();
  const chosen = new Set(initial.map(({ value }) => value));
  const option = ({ text, value }) =>
    h('option', { value, selected: chosen.has(value) }, plainText(text));
  const groups = (element.option_groups ?? []).map(({ label, options }) =>
    h('optgroup', { label: plainText(label) }, ...options.map(option)),
  );
  const placeholder = h(
    'option',
    { value: '', disabled: true, selected: chosen.size === 0 },
    placeholderOf(element),
  );
  const changed = ({ currentTarget: control }) => {
    const values = [...control.selectedOptions].map(({ value }) => value);
    choose(element, at, { choice: isMany ? values : values[0], control });
  };
  return h(
    'select',
    {
      id: at.id,
      class: 'select',
      multiple: isMany,
      'aria-label': labelOf(element),
      on: { change: changed },
    },
    !isMany && placeholder,
    ...(element.options ?? []).map(option),
    ...groups,
  );
}

/** Draws radio buttons or checkboxes, as `type` says. */
export function ticks(element, at, type) {
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat();
  const chosen = new Set(initial.map(({ value }) => value));
  const changed = ({ currentTarget: control }) => {
    const values = [...control.querySelectorAll('input:checked')].map((one) => one.value);
    choose(element, at, { choice: type === 'radio' ? values[0] : values, control });
  };
  const name = `${at.blockId}-${element.action_id}`;
  const rows = element.options.map(({ text, value, description }) =>
    h(
      'label',
      {},
      h('input', { type, name, value, checked: chosen.has(value) }),
      h('span', {}, plainText(text)),
      description && h('span', { class: 'hint' }, plainText(description)),
    ),
  );
  const props = {
    id: at.id,
    class: 'ticks',
    // Browsers do not associate a `label` with a fieldset.
    'aria-label': element.shownLabel ?? labelOf(element),
    on: { change: changed },
  };
  return h('fieldset', props, ...rows);
}
