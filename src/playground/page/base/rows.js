/**
 * Keeps the children of `container` in step with a list: a row stays the same element as long as
 * its key is there, so that focus, open threads and half-written replies survive. `create(item)`
 * makes a row, `{ node, update(item) }`.
 */
export function keepRows(container, create) {
  const rows = new Map();
  return (items, keyOf) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, row] of rows) {
      if (keys.has(key)) continue;
      row.node.remove();
      rows.delete(key);
    }
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
    const focused = node.contains(document.activeElement) ? nameOf(document.activeElement) : null;
    node.replaceChildren(...[draw(value)].flat().filter(Boolean));
    if (focused) refocus(node, focused);
    return true;
  };
}

function nameOf(element) {
  return `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent}`;
}

function refocus(node, name) {
  const candidates = node.querySelectorAll('button, a, input, select, textarea, summary');
  [...candidates].find((element) => nameOf(element) === name)?.focus();
}
