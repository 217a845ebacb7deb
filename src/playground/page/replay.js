import { button, byId, h } from './base/dom.js';
import { formatDateTime } from './base/format.js';
import { notify } from './base/notices.js';
import { applyUpdate, setViewer, viewer } from './base/state.js';
import { startFiles, startFolders } from './service/folders.js';
import { startChannelHead, startSidebar } from './slack/channels.js';
import { startTimeline } from './slack/timeline.js';

const response = await fetch('/replay.json').catch(() => null);
if (response?.ok) start(await response.json());
else notify('The replay can’t be loaded. Is the playground still running?', 'problem');

function start({ title, beganAt, events }) {
  byId('replay-title').textContent = title;
  startSidebar();
  startChannelHead();
  startTimeline();
  startFolders();
  startFiles();
  const list = startEventList(events, (index) => player.goTo(index));
  const player = startPlayer({ events, beganAt, onMove: list.mark });
  player.goTo(0);
}

/** Lists all events as buttons that call `onChoose(index)`; `mark(index)` marks the current one. */
function startEventList(events, onChoose) {
  const rows = events.map((event, index) => eventButton(event, () => onChoose(index)));
  byId('events').append(
    h(
      'ol',
      rows.map((row) => h('li', row)),
    ),
  );
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

function eventButton(event, choose) {
  const classes = changesSomething(event) ? '.row-button.event.event-change' : '.row-button.event';
  const time = h('time', formatElapsed(event.at));
  return button(choose, classes, time, ' ', h('span', event.text));
}

/** Shows buttons and a slider, and handles keys, to step through the events and show each. */
function startPlayer({ events, beganAt, onMove }) {
  let index = 0;
  const last = Math.max(0, events.length - 1);
  const follow = h('input', { type: 'checkbox', checked: true });
  const slider = h('input', { type: 'range', min: 0, max: last, 'aria-label': 'Event' });
  const where = h('output.player-where');
  const what = h('p.player-what.clipped', { 'aria-live': 'polite' });

  const goTo = (wanted) => {
    index = Math.min(last, Math.max(0, wanted));
    const event = events[index];
    if (!event) return;
    applyUpdate({ whole: true, set: stateAfter(events, index), gone: [] });
    // The first event holds the whole initial state, so it has no place of its own.
    if (follow.checked && index > 0) followTo(placeOf(event));
    slider.value = String(index);
    where.textContent = `${index + 1} of ${events.length} · ${formatElapsed(event.at)} · ${formatDateTime(beganAt + event.at)}`;
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
    moveButton('Previous change', 'Shift+←', moves.changeBefore),
    moveButton('Back', '←', moves.back),
    moveButton('Forward', '→', moves.forward),
    moveButton('Next change', 'Shift+→', moves.changeAfter),
    slider,
    where,
    h('label', follow, ' Follow what happens'),
    what,
  );
  return { goTo };
}

function moveButton(words, key, move) {
  return button(move, '.button.button-small', { title: key }, words);
}

function followTo({ folder, ...place }) {
  const { channel, person, folder: shown } = viewer();
  const isElsewhere = (place.channel ?? channel) !== channel || (place.person ?? person) !== person;
  if (isElsewhere) setViewer({ ...place, folder: folder ?? shown });
  else if (folder !== undefined && folder !== shown) setViewer({ folder });
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

/** Returns the state as it was just after the event at `index`. */
function stateAfter(events, index) {
  const state = new Map();
  for (const { set, gone } of events.slice(0, index + 1)) {
    for (const name of gone) state.delete(name);
    for (const [name, value] of Object.entries(set)) state.set(name, value);
  }
  return Object.fromEntries(state);
}

/** Whether an event changes anything that the page shows. */
function changesSomething({ set, gone }) {
  return gone.length > 0 || Object.keys(set).length > 0;
}

/** Returns the index of the nearest change in the direction `step` (1 or -1), else `index`. */
function nextChange(events, index, step) {
  for (let at = index + step; events[at]; at += step) if (changesSomething(events[at])) return at;
  return index;
}

/** Returns where an event can be seen: its channel, person and folder, as far as it has them. */
function placeOf({ set, gone }) {
  const place = {};
  for (const name of [...Object.keys(set), ...gone]) {
    const [kind, where, whose] = name.split('/');
    if (kind === 'message') place.channel = where;
    if (kind === 'ephemeral') Object.assign(place, { channel: where, person: whose });
    if (kind === 'file') place.folder = Number(where);
  }
  return place;
}

/** Formats milliseconds since the beginning as `hh:mm:ss.mmm`. */
function formatElapsed(ms) {
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
