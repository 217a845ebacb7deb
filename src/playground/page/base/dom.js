/**
 * Creates an element. `props`: `class`, `on` (listeners by event), `data` (data attributes), and
 * attributes by name; `true` is an empty attribute, `false`, `null` and `undefined` none. String
 * children become text nodes, so that data is never parsed as HTML.
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  const { on = {}, data = {}, ...attributes } = props;
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  Object.assign(node.dataset, data);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...present(children));
  return node;
}

/** Flattens nested lists of children and drops null, undefined and false. */
export function present(children) {
  return children.flat(3).filter((child) => child != null && child !== false);
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
  check: 'm4 10.5 4 4 8-9',
};

/** Creates an icon, which is hidden from screen readers. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
