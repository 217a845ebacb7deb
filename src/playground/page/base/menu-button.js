import { button, h } from './dom.js';

/**
 * Creates a button with a menu (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). `face` is
 * what it shows, `label` its name, and `items()` returns what it offers, each `{ label, act }`.
 */
export function menuButton({ face, label, items }) {
  const name = { 'aria-label': label, title: label };
  const props = { ...name, 'aria-haspopup': 'menu', 'aria-expanded': 'false' };
  const opener = button(() => (list.hidden ? open(0) : close()), '.menu-opener', props, face);
  const list = h('div.menu.card', { role: 'menu', 'aria-label': label, hidden: true });
  const node = h('div.menu-button', opener, list);

  const show = (isOpen) => {
    list.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
  };
  const close = () => {
    show(false);
    list.replaceChildren();
    opener.focus();
  };
  const open = (at) => {
    list.replaceChildren(...items().map(row));
    show(true);
    list.scrollIntoView({ block: 'nearest' });
    list.children[at < 0 ? list.children.length + at : at].focus();
  };
  const row = ({ label: words, act }) => {
    const pick = () => {
      close();
      act();
    };
    return button(pick, '', { role: 'menuitem', tabindex: -1 }, words);
  };
  const pressed = (event) => {
    const rows = [...list.children];
    const at = rows.indexOf(document.activeElement);
    const isOpen = !list.hidden;
    const act = {
      ArrowDown: () => (isOpen ? rows[(at + 1) % rows.length].focus() : open(0)),
      ArrowUp: () => (isOpen ? rows.at(at - 1).focus() : open(-1)),
      Home: isOpen && (() => rows[0].focus()),
      End: isOpen && (() => rows.at(-1).focus()),
      Escape: isOpen && close,
    }[event.key];
    if (event.key === 'Tab' && isOpen) close();
    if (!act) return;
    // Escape would also close a modal around it.
    event.preventDefault();
    act();
  };

  node.addEventListener('keydown', pressed);
  node.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !node.contains(relatedTarget)) show(false);
  });
  return node;
}
