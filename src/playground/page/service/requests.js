import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { onChange, part } from '../base/state.js';

/** Shows the last requests that the service received. */
export function startRequests() {
  const draw = redraw(byId('requests').querySelector('.request-scroll'), (requests) => [
    table(requests),
  ]);
  onChange(['requests'], () => draw(part('requests')));
}

function table(requests) {
  const head = h(
    'tr',
    {},
    ...['Time', 'Request', 'Answer', 'ms'].map((name) => h('th', { scope: 'col' }, name)),
  );
  return h('table', {}, h('thead', {}, head), h('tbody', {}, ...requests.map(row)));
}

function row({ at, method, path, status, errorCode, ms }) {
  const isBad = status === null || status >= 400 || errorCode !== undefined;
  return h(
    'tr',
    {},
    h('td', {}, new Date(at).toLocaleTimeString('en-GB')),
    h(
      'td',
      { class: 'request-path', title: path },
      h('b', {}, method),
      ' ',
      path.replace(/^\/acme(?:\/api\/v3)?/, ''),
    ),
    h('td', { class: isBad ? 'bad' : 'good' }, answer(status, errorCode)),
    h('td', {}, String(Math.round(ms))),
  );
}

function answer(status, errorCode) {
  if (status === null) return 'none';
  return errorCode === undefined ? String(status) : `${status}, error ${errorCode}`;
}
