import { button, byId, h } from './base/dom.js';
import { drawOnChange } from './base/dom-updates.js';
import { post } from './base/server.js';
import { entry, subscribe } from './base/state.js';
import { markDone } from './guide.js';

const APP_STATES = {
  running: 'Pigeonhole is running',
  stopping: 'Pigeonhole is stopping. Work in hand has up to 20 s to finish…',
  stopped: 'Pigeonhole is stopped',
  starting: 'Pigeonhole is starting…',
};

/** Shows a button that stops and starts the real app, to show that nothing is lost. */
export function startAppControl() {
  const draw = drawOnChange(byId('app-control'), (state) => {
    const isRunning = state === 'running';
    const isBetween = state === 'stopping' || state === 'starting';
    const toggle = () => {
      if (isBetween) return;
      if (!isRunning) markDone('restart');
      void post('app', { run: !isRunning });
    };
    const props = { 'aria-busy': isBetween ? 'true' : null };
    const label = isRunning || state === 'stopping' ? 'Stop the app' : 'Start the app';
    return [
      h(`span.status-dot.status-${state}`),
      h('span', APP_STATES[state]),
      button(toggle, '.button.button-small', props, label),
    ];
  });
  subscribe(['app'], () => draw(entry('app')));
}

/** Shows whose key Pigeonhole has, and the choice of the service's profile and fault. */
export function startServiceControls() {
  subscribe(['keyUser'], () => {
    byId('key-user').textContent = `Pigeonhole files as ${entry('keyUser')}, whose key it has.`;
  });
  startChoice('profile', { label: 'It answers', optionsEntry: 'profiles', usual: 'specified' });
  startChoice('fault', { label: 'Make the service', optionsEntry: 'faults', usual: 'works' });
}

// Highlights any choice but the usual one, and says what to expect of it.
function startChoice(name, { label, optionsEntry, usual }) {
  const id = `${name}-choice`;
  const draw = drawOnChange(byId(name), ({ options, chosen }) => {
    const change = (event) => post(name, { [name]: event.currentTarget.value });
    const select = chosen === usual ? 'select.select' : 'select.select.choice-unusual';
    const drawOption = (option) =>
      h('option', { value: option.id, selected: option.id === chosen }, option.label);
    const { expect } = options.find((option) => option.id === chosen);
    return [
      h('label', { for: id }, label),
      h(select, { id, on: { change } }, options.map(drawOption)),
      expect && h('p.fine-print', expect),
    ];
  });
  subscribe([optionsEntry, name], () => {
    draw({ options: entry(optionsEntry), chosen: entry(name) });
  });
}
