import { keepFocus } from './focus.js';

/**
 * Returns a function that makes the children of `container` match a list. A row stays the same
 * element as long as its key is in the list, so that focus, open threads and half-written replies
 * survive. `create(item)` returns a row, `{ node, update(item) }`.
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

/** Returns a function that redraws `node` if the value has changed, and keeps the focus inside. */
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
