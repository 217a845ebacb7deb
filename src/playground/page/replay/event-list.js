import { byId, h } from '../base/dom.js';
import { changesSomething, shownSpan } from './replayed.js';

/** Lists all events as buttons that call `onChoose(index)`; `mark(index)` marks the current one. */
export function startEventList(events, onChoose) {
  const rows = events.map((event, index) => row(event, () => onChoose(index)));
  byId('events').append(h('ol', {}, ...rows.map((button) => h('li', {}, button))));
  let current = null;
  return {
    mark: (index) => {
      current?.removeAttribute('aria-current');
      current = rows[index];
      current?.setAttribute('aria-current', 'step');
      current?.scrollIntoView({ block: 'nearest' });
    },
  };
}

function row(event, choose) {
  const isChange = changesSomething(event);
  return h(
    'button',
    { type: 'button', class: isChange ? 'event event-change' : 'event', on: { click: choose } },
    h('time', {}, shownSpan(event.at)),
    ' ',
    h('span', {}, event.text),
  );
}
