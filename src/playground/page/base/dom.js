/**
 * Creates an element. `selector` is its tag and classes, such as `p.notice`. `props`, which may be
 * left out: `on` (listeners by event), `data` (data attributes), and attributes by name; `true` is
 * an empty attribute, `false`, `null` and `undefined` none. Children may be lists; null, undefined
 * and false are dropped. Strings become text nodes, so that data is never parsed as HTML.
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split('.');
  const { on = {}, data = {}, ...attributes } = isProps(rest[0]) ? rest.shift() : {};
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(' ');
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  Object.assign(node.dataset, data);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...rest.flat(3).filter((child) => child != null && child !== false));
  return node;
}

function isProps(value) {
  return Object.getPrototypeOf(value ?? '') === Object.prototype;
}

/** Creates a button that calls `press(event)`. `classes` are as in `h`, such as `.button`. */
export function button(press, classes, ...rest) {
  const node = h(`button${classes}`, ...rest);
  node.type = 'button';
  node.addEventListener('click', press);
  return node;
}

/** Creates a button that shows only an icon, and is named `label`. */
export function iconButton(name, label, press, props = {}) {
  return button(press, '.icon-button', { 'aria-label': label, ...props }, icon(name));
}

/** Returns the page's element with that id. */
export function byId(id) {
  return document.getElementById(id);
}

const PATHS = {
  clip: 'M8 12.5 13.7 6.8a2.5 2.5 0 0 1 3.5 3.5l-7 7a4.2 4.2 0 0 1-6-6l7-7',
  send: 'M3 10 17 3.5 12.5 17l-2.7-5.3z',
  download: 'M10 3v9m-3.5-3.5L10 12l3.5-3.5M4 16h12',
  trash: 'M4 6h12M8 6V4h4v2m-6.5 0 .7 10h7.6l.7-10',
  folder: 'M3 6.5V15h14V7.5H9.5L8 5.5H3z',
  lock: 'M5.5 9.5h9V16h-9zM7.5 9.5V7a2.5 2.5 0 0 1 5 0v2.5',
  hash: 'M8.5 4 7 16m6-12-1.5 12M4.5 8h12M3.5 12h12',
  file: 'M5 3h6.5L15 6.5V17H5zM11 3v4h4',
  reply: 'M8 5 3.5 9.5 8 14M4 9.5h7.5a5 5 0 0 1 5 5V16',
  close: 'M5 5l10 10M15 5 5 15',
  bolt: 'M11 3 5 11.5h4.5L9 17l6-8.5h-4.5z',
  check: 'm4 10.5 4 4 8-9',
};

/** Creates an icon, which is hidden from screen readers. */
export function icon(name) {
  const path = svg('path', { d: PATHS[name] });
  return svg('svg', { viewBox: '0 0 20 20', class: 'icon', 'aria-hidden': 'true' }, path);
}

/** Creates an SVG element. */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
