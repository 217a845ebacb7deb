import { byId, h, icon } from '../base/dom.js';
import { onChange, part } from '../base/state.js';

const STEPS = [
  { id: 'share', what: 'Share a file', how: 'with the paper clip, or drop it in' },
  { id: 'list', what: 'Type /files', how: 'to see the folder’s files' },
  { id: 'delete', what: 'Delete one', how: 'with its Delete button' },
  { id: 'link', what: 'Link #design', how: 'as Ada, with /folders' },
  { id: 'outage', what: 'Break the service', how: 'make it “be down”, and share a file' },
  {
    id: 'restart',
    what: 'Stop the app',
    how: 'share a file, then start it again: nothing is lost',
  },
];

const KEY = 'try-this';

/** Marks a step as done. */
export function done(id) {
  const kept = read();
  if (kept.done.includes(id)) return;
  write({ ...kept, done: [...kept.done, id] });
}

/** Shows six things to try and ticks off those done, until the visitor closes the card. */
export function startTryThis() {
  draw();
  onChange(['links', 'fault', 'requests'], () => {
    const design = part('workspace')?.channels.find(({ name }) => name === 'design');
    if (design && part('links')?.[design.id]) done('link');
    if (part('fault') === 'outage') done('outage');
    if (part('requests')?.some(({ method, status }) => method === 'DELETE' && status === 204))
      done('delete');
  });
}

function draw() {
  const { done: ticked, closed } = read();
  const card = byId('try-this');
  card.hidden = closed;
  const close = () => write({ ...read(), closed: true });
  const steps = STEPS.map(({ id, what, how }, index) => {
    const isDone = ticked.includes(id);
    const sign = h('span', { class: 'step-sign' }, isDone ? icon('check') : String(index + 1));
    const words = h(
      'span',
      {},
      h('b', {}, what),
      ' ',
      how,
      isDone && h('span', { class: 'unseen' }, ' (done)'),
    );
    return h('li', { class: isDone ? 'step step-done' : 'step' }, sign, words);
  });
  card.replaceChildren(
    h('h2', {}, 'Try this'),
    h('ol', {}, ...steps),
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': 'Close the suggestions',
        on: { click: close },
      },
      icon('close'),
    ),
  );
}

function read() {
  return { done: [], closed: false, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
}

function write(kept) {
  localStorage.setItem(KEY, JSON.stringify(kept));
  draw();
}
