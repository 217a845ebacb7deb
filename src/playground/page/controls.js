import { button, byId, h } from './base/dom.js';
import { drawOnChange } from './base/dom-updates.js';
import { post } from './base/server.js';
import { currentFolder, entry, setViewer, subscribe, viewer } from './base/state.js';
import { tabList } from './base/tab-list.js';
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

/** Shows the service's three panes as tabs, marks that of the faults, and says whose key it is. */
export function startPanes() {
  const pane = (id, label) => ({ id, label, panel: byId(`${id}-pane`) });
  const tabs = [pane('files', 'Files'), pane('faults', 'Faults'), pane('traffic', 'Traffic')];
  const choose = (id) => setViewer({ pane: id });
  const show = tabList(byId('panes'), { label: 'File service', tabs, choose });
  show(viewer().pane);
  subscribe(['viewer'], () => show(viewer().pane));
  subscribe(['keyUser'], () => {
    byId('key-user').textContent = `Pigeonhole files as ${entry('keyUser')}, whose key it has.`;
  });
  subscribe(['fault', 'slackFault'], () => {
    const isBroken = entry('fault') !== 'works' || entry('slackFault') !== 'works';
    byId('tab-faults').textContent = isBroken ? 'Faults (on)' : 'Faults';
    byId('tab-faults').classList.toggle('tab-alert', isBroken);
  });
}

/** Shows the choice of the service's profile and fault, and of Slack's fault. */
export function startChoices() {
  startChoice('profile', {
    label: 'The service answers',
    optionsEntry: 'profiles',
    usual: 'specified',
  });
  startChoice('fault', { label: 'Make the service', optionsEntry: 'faults', usual: 'works' });
  startChoice('slackFault', { label: 'Make Slack', optionsEntry: 'slackFaults', usual: 'works' });
}

// Highlights any choice but the usual one, and says what to expect of it.
function startChoice(name, { label, optionsEntry, usual }) {
  const id = `${name}-choice`;
  const draw = drawOnChange(byId(name), ({ options, chosen }) => {
    const change = ({ currentTarget: { value } }) =>
      post(name, { [name]: value, folderId: currentFolder() ?? 0 });
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

/** Lets the skip link lead to the message box, also in the app's conversation. */
export function startSkipLink() {
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    setViewer({ tab: 'messages' });
    byId('message-box').focus();
  });
}
