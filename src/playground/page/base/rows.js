import { keepFocus } from './focus.js';

/**
 * Keeps the children of `container` in step with a list: a row stays the same element as long as
 * its key is there, so that focus, open threads and half-written replies survive. `create(item)`
 * makes a row, `{ node, update(item) }`.
 */
export function keepRows(container, create) {
  const rows = new Map();
  return (items, keyOf) => {
    const keys = new Set(items.map(keyOf));
    const gone = [...rows].filter(([key]) => !keys.has(key));
    keepFocus(container, () => {
      for (const [key, row] of gone) {
        row.node.remove();
        rows.delete(key);
      }
    });
    items.forEach((item, index) => {
      const key = keyOf(item);
      const row = rows.get(key) ?? create(item);
      rows.set(key, row);
      row.update(item);
      const there = container.children[index];
      if (there !== row.node) container.insertBefore(row.node, there ?? null);
    });
  };
}

/** Draws into `node` again only when what is drawn has changed; focus goes to what took its place. */
export function redraw(node, draw) {
  let drawn;
  return (value) => {
    const text = JSON.stringify(value);
    if (text === drawn) return false;
    drawn = text;
    keepFocus(node, () => node.replaceChildren(...[draw(value)].flat().filter(Boolean)));
    return true;
  };
}
