import { byId, h } from '../base/dom.js';
import { shownMoment } from '../base/shown.js';
import { look, looking, receive } from '../base/state.js';
import { nextChange, partsAfter, placeOf, shownSpan } from './replayed.js';

/** Shows buttons and a slider, and handles keys, to step through the events and show each. */
export function startPlayer({ events, beganAt, onMove }) {
  let index = 0;
  const last = Math.max(0, events.length - 1);
  const follow = h('input', { type: 'checkbox', checked: true });
  const slider = h('input', { type: 'range', min: 0, max: last, 'aria-label': 'Event' });
  const where = h('output', { class: 'player-where' });
  const what = h('p', { class: 'player-what', 'aria-live': 'polite' });

  const goTo = (wanted) => {
    index = Math.min(last, Math.max(0, wanted));
    const event = events[index];
    if (!event) return;
    receive({ whole: true, set: partsAfter(events, index), gone: [] });
    // The first event holds the whole initial state, so it has no place of its own.
    if (follow.checked && index > 0) lookAt(placeOf(event));
    slider.value = String(index);
    where.textContent = `${index + 1} of ${events.length} · ${shownSpan(event.at)} · ${shownMoment(beganAt + event.at)}`;
    what.textContent = event.text;
    onMove(index);
  };
  const moves = {
    back: () => goTo(index - 1),
    forward: () => goTo(index + 1),
    changeBefore: () => goTo(nextChange(events, index, -1)),
    changeAfter: () => goTo(nextChange(events, index, 1)),
    first: () => goTo(0),
    last: () => goTo(last),
  };
  slider.addEventListener('input', () => goTo(Number(slider.value)));
  document.addEventListener('keydown', (event) => onKey(event, moves));
  byId('player').append(
    button('Previous change', 'Shift+←', moves.changeBefore),
    button('Back', '←', moves.back),
    button('Forward', '→', moves.forward),
    button('Next change', 'Shift+→', moves.changeAfter),
    slider,
    where,
    h('label', { class: 'player-follow' }, follow, ' Follow what happens'),
    what,
  );
  return { goTo };
}

function button(words, key, move) {
  const props = { type: 'button', class: 'button button-small', title: key, on: { click: move } };
  return h('button', props, words);
}

function lookAt({ folder, ...place }) {
  const { channel, person } = looking();
  const isElsewhere = (place.channel ?? channel) !== channel || (place.person ?? person) !== person;
  const shown = looking().folder;
  if (isElsewhere) look({ ...place, folder: folder ?? shown });
  else if (folder !== undefined && folder !== shown) look({ folder });
}

const KEYS = {
  ArrowLeft: ['back', 'changeBefore'],
  ArrowRight: ['forward', 'changeAfter'],
  Home: ['first', 'first'],
  End: ['last', 'last'],
};

function onKey(event, moves) {
  const [plain, shifted] = KEYS[event.key] ?? [];
  // A focused select uses the arrow keys itself.
  if (!plain || event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === 'SELECT')
    return;
  event.preventDefault();
  moves[event.shiftKey ? shifted : plain]();
}
