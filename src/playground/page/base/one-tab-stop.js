const CONTROLS = 'button, a, input, select, textarea, summary';
const FOLDED = 'details:not([open]) > :not(summary)';

/**
 * Makes one stop of a list in the order of Tab: one of its items, which match `selector`, and the
 * controls in it. The arrow keys, Home and End lead to the other items. While the focus is
 * elsewhere, the stop is at what `first(items)` returns.
 */
export function oneTabStop(list, selector, first) {
  let current;
  const unfolded = () =>
    [...list.querySelectorAll(selector)].filter((item) => !item.closest(FOLDED));

  const update = () => {
    const items = unfolded();
    const hasFocus = list.contains(document.activeElement);
    if (!hasFocus || !items.includes(current)) current = first(items);
    for (const item of items) {
      item.tabIndex = item === current ? 0 : -1;
      for (const control of item.querySelectorAll(CONTROLS)) {
        // The items of an open menu have the arrow keys of their own.
        if (control.role === 'menuitem') continue;
        if (item === current) control.removeAttribute('tabindex');
        else control.tabIndex = -1;
      }
    }
  };
  const pressed = (event) => {
    if (event.defaultPrevented || event.target.matches('input, select, textarea')) return;
    const items = unfolded();
    const at = items.indexOf(event.target.closest(selector));
    const next = {
      ArrowDown: items[at + 1],
      ArrowUp: items[at - 1],
      Home: items[0],
      End: items.at(-1),
    }[event.key];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  };

  list.addEventListener('keydown', pressed);
  list.addEventListener('focusin', ({ target }) => {
    current = target.closest(selector) ?? current;
    update();
  });
  list.addEventListener('focusout', ({ relatedTarget }) => {
    if (!list.contains(relatedTarget)) update();
  });
  list.addEventListener('toggle', update, { capture: true });
  new MutationObserver(update).observe(list, { childList: true, subtree: true });
}
