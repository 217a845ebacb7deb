import { h } from '../base/dom.js';

const HINTS = [
  { command: '/files', does: 'the files in this channel’s folder, newest first' },
  { command: '/files find ', does: 'files in all your channels, by words in their names' },
  { command: '/files link', does: 'choose the folder for what’s shared in this channel' },
  { command: '/files unlink', does: 'unlink this channel' },
  { command: '/files announce on', does: 'post when others add files to the folder' },
  { command: '/files status', does: 'what waits or couldn’t be filed, and why' },
  { command: '/files help', does: 'all commands' },
  { command: '/folders', does: 'the folders a channel can be linked to' },
];

/** Suggests commands for a text that starts with a slash, to choose by arrow keys or pointer. */
export function commandHints(input) {
  const node = h('ul.command-hints.card', {
    id: 'command-hints',
    role: 'listbox',
    'aria-label': 'Commands',
    hidden: true,
  });
  let shown = [];
  let chosen = -1;

  const close = () => {
    shown = [];
    chosen = -1;
    draw();
  };
  const take = (index) => {
    input.value = shown[index].command;
    close();
    input.focus();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const pick = (index) => (event) => {
    event.preventDefault();
    take(index);
  };
  const row = ({ command, does }, index) =>
    h(
      'li',
      {
        id: `hint-${index}`,
        role: 'option',
        'aria-selected': index === chosen ? 'true' : 'false',
        on: { pointerdown: pick(index) },
      },
      h('b', command),
      h('span', does),
    );
  const draw = () => {
    node.replaceChildren(...shown.map(row));
    node.hidden = shown.length === 0;
    input.setAttribute('aria-expanded', String(!node.hidden));
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
    handleKey: ({ key }) => {
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
