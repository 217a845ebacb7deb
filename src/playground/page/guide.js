import { byId, h, icon, iconButton } from './base/dom.js';
import { entry, subscribe } from './base/state.js';

const STEPS = [
  { id: 'share', what: 'Share a file', how: 'with the paper clip, or drop it in' },
  { id: 'list', what: 'Type /files', how: 'to see the folder’s files' },
  { id: 'delete', what: 'Delete one', how: 'from its menu' },
  { id: 'link', what: 'Link #design', how: 'as Ada, with /folders' },
  { id: 'outage', what: 'Break the service', how: 'under Faults, and share a file' },
  {
    id: 'restart',
    what: 'Stop the app',
    how: 'share a file, start it again, and it’s filed within 15 s',
  },
];

const KEY = 'try-this';

/** Marks a step as done. */
export function markDone(id) {
  const kept = read();
  if (kept.done.includes(id)) return;
  write({ ...kept, done: [...kept.done, id] });
}

/**
 * Shows six things to try and ticks off those done, until the visitor closes the card. On a small
 * screen they are folded at first.
 */
export function startGuide() {
  draw();
  byId('steps').open = matchMedia('(width >= 1000px)').matches;
  subscribe(['links', 'fault', 'requests'], () => {
    const design = entry('workspace')?.channels.find(({ name }) => name === 'design');
    if (design && entry('links')?.[design.id]) markDone('link');
    if (entry('fault') === 'outage') markDone('outage');
    if (entry('requests')?.some(({ method, status }) => method === 'DELETE' && status === 204))
      markDone('delete');
  });
}

function draw() {
  const { done, closed } = read();
  const card = byId('try-this');
  card.hidden = closed;
  const close = () => write({ ...read(), closed: true });
  const steps = STEPS.map(({ id, what, how }, index) => {
    const isDone = done.includes(id);
    const mark = h('span.step-mark', isDone ? icon('check') : String(index + 1));
    const doneWord = isDone && h('span.visually-hidden', ' (done)');
    const words = h('span', h('b', what), ' ', how, doneWord);
    return h(isDone ? 'li.fine-print.step.step-done' : 'li.fine-print.step', mark, words);
  });
  byId('steps').replaceChildren(
    h('summary', 'Try this', h('span.count', `${done.length} of ${STEPS.length}`)),
    h('ol', steps),
  );
  byId('close-steps').replaceChildren(iconButton('close', 'Close the suggestions', close));
}

function read() {
  return { done: [], closed: false, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
}

function write(kept) {
  localStorage.setItem(KEY, JSON.stringify(kept));
  draw();
}
