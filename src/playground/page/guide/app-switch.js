import { ask } from '../base/api.js';
import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { onChange, part } from '../base/state.js';
import { done } from './try-this.js';

const WORDS = {
  running: 'Pigeonhole is running',
  stopping: 'Pigeonhole is stopping. Work in hand has up to 20 s to finish…',
  stopped: 'Pigeonhole is stopped',
  starting: 'Pigeonhole is starting…',
};

/** Shows a button that stops and starts the real app, to show that nothing is lost. */
export function startAppSwitch() {
  const draw = redraw(byId('app-switch'), (state) => {
    const isRunning = state === 'running';
    const isBetween = state === 'stopping' || state === 'starting';
    const turn = () => {
      if (isBetween) return;
      if (!isRunning) done('restart');
      ask('app', { run: !isRunning });
    };
    const props = {
      type: 'button',
      class: 'button button-small',
      'aria-busy': isBetween ? 'true' : null,
    };
    return [
      h('span', { class: `lamp lamp-${state}` }),
      h('span', {}, WORDS[state]),
      h(
        'button',
        { ...props, on: { click: turn } },
        isRunning || state === 'stopping' ? 'Stop the app' : 'Start the app',
      ),
    ];
  });
  onChange(['app'], () => draw(part('app')));
}
