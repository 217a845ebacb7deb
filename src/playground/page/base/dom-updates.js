/**
 * Returns a function that makes the children of `container` match a list. A row stays the same
 * element as long as its key is in the list, so that focus, open threads and half-written replies
 * survive. `create(item)` returns a row, `{ node, update(item) }`.
 */
export function keyedList(container, create) {
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

/**
 * Returns a function that fills `node` with what `draw(value)` returns if the value has changed. The
 * focus stays inside.
 */
export function drawOnChange(node, draw) {
  let drawn;
  return (value) => {
    const text = JSON.stringify(value);
    if (text === drawn) return;
    drawn = text;
    keepFocus(node, () => node.replaceChildren(...[draw(value)].flat().filter(Boolean)));
  };
}

/**
 * Calls `change`, which changes the content of `node`, and keeps the focus inside: on the same
 * control, else on one of the same name, else on the one in the same place, else on `node` itself.
 */
export function keepFocus(node, change) {
  const focused = document.activeElement;
  if (focused === node || !node.contains(focused)) return change();
  const name = nameOf(focused);
  const index = controlsIn(node).indexOf(focused);
  change();
  // An element that is moved in the document loses the focus.
  if (node.contains(focused)) return focused.focus();
  const left = controlsIn(node);
  const nearest = left
    .filter((control) => nameOf(control) === name)
    .sort((one, other) => distance(one) - distance(other));
  const next = nearest[0] ?? left[Math.min(index, left.length - 1)];
  if (!next) node.tabIndex = -1;
  (next ?? node).focus();

  function distance(control) {
    return Math.abs(left.indexOf(control) - index);
  }
}

const CONTROLS = 'button, a, input, select, textarea, summary';

function controlsIn(node) {
  return [...node.querySelectorAll(CONTROLS)].filter((control) => control.checkVisibility());
}

function nameOf(element) {
  const label = element.labels?.[0] ?? element;
  return `${element.tagName} ${element.getAttribute('aria-label') ?? label.textContent}`;
}
