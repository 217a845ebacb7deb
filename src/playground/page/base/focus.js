const CONTROLS = 'button, a, input, select, textarea, summary';

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
  (nearest[0] ?? left[Math.min(index, left.length - 1)] ?? focusable(node)).focus();

  function distance(control) {
    return Math.abs(left.indexOf(control) - index);
  }
}

function controlsIn(node) {
  return [...node.querySelectorAll(CONTROLS)].filter((control) => control.checkVisibility());
}

function nameOf(element) {
  const label = element.labels?.[0] ?? element;
  return `${element.tagName} ${element.getAttribute('aria-label') ?? label.textContent}`;
}

function focusable(node) {
  node.tabIndex = -1;
  return node;
}
