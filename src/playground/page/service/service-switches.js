import { ask } from '../base/api.js';
import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { onChange, part } from '../base/state.js';

/** Shows whose key Pigeonhole has, and the switches for the service's profile and fault. */
export function startServiceSwitches() {
  onChange(['keyUser'], () => {
    byId('key-user').textContent = `Pigeonhole files as ${part('keyUser')}, whose key it has.`;
  });
  startSwitch('profile', { label: 'It answers', choices: 'profiles', usual: 'specified' });
  startSwitch('fault', { label: 'Make the service', choices: 'faults', usual: 'works' });
}

// Highlights any choice but the usual one, and says what to expect of it.
function startSwitch(name, { label, choices, usual }) {
  const draw = redraw(byId(name), ({ offered, chosen }) => {
    const options = offered.map((choice) =>
      h('option', { value: choice.id, selected: choice.id === chosen }, choice.label),
    );
    const set = (event) => ask(name, { [name]: event.currentTarget.value });
    const { expect } = offered.find(({ id }) => id === chosen);
    return [
      h('label', { for: `${name}-choice` }, label),
      h(
        'select',
        {
          id: `${name}-choice`,
          class: chosen === usual ? 'select' : 'select switch-unusual',
          on: { change: set },
        },
        ...options,
      ),
      expect && h('p', { class: 'switch-expect' }, expect),
    ];
  });
  onChange([choices, name], () => draw({ offered: part(choices), chosen: part(name) }));
}
