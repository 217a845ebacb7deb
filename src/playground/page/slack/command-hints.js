import { h } from '../base/dom.js';

const HINTS = [
  { command: '/files', does: 'lists this channel’s folder' },
  { command: '/files link ', does: 'links this channel: <project>/<folder>' },
  { command: '/files find ', does: 'finds files in all your channels, by words of their names' },
  { command: '/files unlink', does: 'takes the channel’s link away' },
  { command: '/files help', does: 'tells what there is' },
  { command: '/folders', does: 'shows the project’s folders, with buttons to link' },
];

/** Suggests commands for a text that starts with a slash, to choose by arrow keys or pointer. */
export function commandHints(input) {
  const node = h('ul', {
    id: 'command-hints',
    class: 'command-hints',
    role: 'listbox',
    'aria-label': 'Commands',
    hidden: true,
  });
  let shown = [];
  let chosen = -1;

  const close = () => {
    shown = [];
    chosen = -1;
    node.hidden = true;
    input.removeAttribute('aria-activedescendant');
  };
  const take = (index) => {
    input.value = shown[index].command;
    close();
    input.focus();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const row = ({ command, does }, index) =>
    h(
      'li',
      {
        id: `hint-${index}`,
        role: 'option',
        'aria-selected': index === chosen ? 'true' : 'false',
        on: {
          pointerdown: (event) => {
            event.preventDefault();
            take(index);
          },
        },
      },
      h('b', {}, command),
      h('span', {}, does),
    );
  const draw = () => {
    node.replaceChildren(...shown.map(row));
    node.hidden = shown.length === 0;
    if (chosen >= 0) input.setAttribute('aria-activedescendant', `hint-${chosen}`);
    else input.removeAttribute('aria-activedescendant');
  };

  return {
    node,
    close,
    update: () => {
      const text = input.value;
      shown = text.startsWith('/')
        ? HINTS.filter(({ command }) => command.startsWith(text) && command !== text)
        : [];
      chosen = -1;
      draw();
    },
    /** Handles a key; returns whether it was meant for the suggestions. */
    takesKey: ({ key }) => {
      if (shown.length === 0) return false;
      if (key === 'Escape') close();
      else if (key === 'ArrowDown' || key === 'ArrowUp') {
        const step = key === 'ArrowDown' ? 1 : -1;
        chosen = (chosen + step + shown.length + (chosen < 0 && step < 0 ? 1 : 0)) % shown.length;
        draw();
      } else if (key === 'Tab' || (key === 'Enter' && chosen >= 0)) take(Math.max(0, chosen));
      else return false;
      return true;
    },
  };
}
