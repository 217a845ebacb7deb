import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { onChange, part } from '../base/state.js';

const SPACE = 'http://www.w3.org/2000/svg';
const WIDTH = 240;
const HEIGHT = 36;

/** Shows how full the rate limit's window is, the last minute's requests, and the statistics. */
export function startGauge() {
  const draw = redraw(byId('gauge'), (gauge) => [
    ...meter(gauge),
    sparkline(gauge),
    statistics(gauge),
  ]);
  onChange(['gauge'], () => draw(part('gauge')));
}

function meter({ used, limit, windowMs }) {
  const words = `${used} of ${limit} requests in ${windowMs / 1000} s`;
  const bar = h('span', { class: used >= limit ? 'bar bar-full' : 'bar' });
  bar.style.width = `${Math.min(100, (used / limit) * 100)}%`;
  const props = {
    class: 'meter',
    role: 'meter',
    'aria-label': 'Requests in the window',
    'aria-valuemin': 0,
    'aria-valuemax': limit,
    'aria-valuenow': used,
    'aria-valuetext': words,
  };
  return [h('p', { class: 'meter-words' }, words), h('div', props, bar)];
}

function sparkline({ seconds }) {
  const svg = element('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'sparkline',
    role: 'img',
    preserveAspectRatio: 'none',
  });
  svg.setAttribute('aria-label', 'Requests by second in the last 60 s');
  const most = Math.max(5, ...seconds.map(([admitted, refused]) => admitted + refused));
  const step = WIDTH / seconds.length;
  seconds.forEach(([admitted, refused], index) => {
    const high = (admitted / most) * HEIGHT;
    const over = (refused / most) * HEIGHT;
    const at = { x: index * step + 0.5, width: step - 1 };
    if (admitted)
      svg.append(element('rect', { ...at, y: HEIGHT - high, height: high, class: 'spark' }));
    if (refused)
      svg.append(
        element('rect', { ...at, y: HEIGHT - high - over, height: over, class: 'spark-refused' }),
      );
  });
  return svg;
}

function statistics({ refused, most, total }) {
  const one = (term, value) => h('div', {}, h('dt', {}, term), h('dd', {}, String(value)));
  return h(
    'dl',
    { class: 'statistics' },
    one('Most in any 10 s', most),
    one('429s', refused),
    one('Total', total),
  );
}

function element(name, attributes) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
