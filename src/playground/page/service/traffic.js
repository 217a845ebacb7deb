import { byId, h, svg } from '../base/dom.js';
import { drawOnChange } from '../base/dom-updates.js';
import { entry, subscribe } from '../base/state.js';

const WIDTH = 240;
const HEIGHT = 36;

/** Shows how full the rate limit's window is, the last minute's requests, and the statistics. */
export function startRateLimit() {
  const draw = drawOnChange(byId('rate-limit'), (rateLimit) => [
    ...meter(rateLimit),
    sparkline(rateLimit),
    statistics(rateLimit),
  ]);
  subscribe(['rateLimit'], () => draw(entry('rateLimit')));
}

function meter({ used, limit, windowMs }) {
  const words = `${used} of ${limit} requests in ${windowMs / 1000} s`;
  const bar = h(used >= limit ? 'span.bar.bar-full' : 'span.bar');
  bar.style.width = `${Math.min(100, (used / limit) * 100)}%`;
  const props = {
    role: 'meter',
    'aria-label': 'Requests in the window',
    'aria-valuemin': 0,
    'aria-valuemax': limit,
    'aria-valuenow': used,
    'aria-valuetext': words,
  };
  return [h('p.meter-words', words), h('div.meter', props, bar)];
}

function sparkline({ seconds }) {
  const most = Math.max(5, ...seconds.map(([admitted, refused]) => admitted + refused));
  const step = WIDTH / seconds.length;
  const bar = (index, { from, count, css }) => {
    const [y, height] = [HEIGHT * (1 - (from + count) / most), (HEIGHT * count) / most];
    const place = { x: index * step + 0.5, y, width: step - 1, height };
    return count > 0 ? [svg('rect', { ...place, class: css })] : [];
  };
  const bars = seconds.flatMap(([admitted, refused], index) => [
    ...bar(index, { from: 0, count: admitted, css: 'spark' }),
    ...bar(index, { from: admitted, count: refused, css: 'spark-refused' }),
  ]);
  const attributes = {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'sparkline',
    role: 'img',
    preserveAspectRatio: 'none',
    'aria-label': 'Requests by second in the last 60 s',
  };
  return svg('svg', attributes, ...bars);
}

function statistics({ refused, most, total }) {
  const one = (term, value) => h('div', h('dt', term), h('dd', String(value)));
  return h(
    'dl.statistics',
    one('Most in any 10 s', most),
    one('429s', refused),
    one('Total', total),
  );
}

/** Shows the last requests that the service received. */
export function startRequests() {
  const draw = drawOnChange(byId('requests'), (requests) => [
    h('h3', 'Last requests'),
    h('div.request-scroll.scrolls', { tabindex: 0 }, table(requests)),
  ]);
  subscribe(['requests'], () => draw(entry('requests')));
}

function table(requests) {
  const names = ['Time', 'Request', 'Answer', 'ms'].map((name) => h('th', { scope: 'col' }, name));
  const head = h('thead', h('tr', names));
  return h('table', head, h('tbody', requests.map(requestRow)));
}

function requestRow({ at, method, path, status, errorCode, ms }) {
  const isBad = status === null || status >= 400 || errorCode !== undefined;
  return h(
    'tr',
    h('td', new Date(at).toLocaleTimeString('en-GB')),
    h(
      'td.clipped',
      { title: path },
      h('b', method),
      ' ',
      path.replace(/^\/acme(?:\/api\/v3)?/, ''),
    ),
    h(isBad ? 'td.bad' : 'td.good', answer(status, errorCode)),
    h('td', String(Math.round(ms))),
  );
}

function answer(status, errorCode) {
  if (status === null) return 'none';
  return errorCode === undefined ? String(status) : `${status}, error ${errorCode}`;
}
