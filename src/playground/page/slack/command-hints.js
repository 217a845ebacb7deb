import { h } from '../base/dom.js';
import { entry } from '../base/state.js';

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
    input.value = typedFor(shown[index]);
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
        ? entry('commands').filter(
            (hint) => hint.command.startsWith(text) && typedFor(hint) !== text,
          )
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

// What is typed of a command: words in angle brackets stand for what follows.
function typedFor({ command }) {
  return command.replace(/<.*/, '');
}
