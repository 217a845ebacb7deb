import { button } from './dom.js';

/**
 * Fills `node` with a tab for each of `tabs`, `{ id, label, panel }`, and returns a function that
 * shows one by its `id` (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/). Calls `choose(id)` when
 * the visitor clicks a tab, or goes to it with the arrow keys, Home or End.
 */
export function tabList(node, { label, tabs, choose }) {
  const rows = tabs.map(({ id, label: name, panel }) => {
    const props = { id: `tab-${id}`, role: 'tab', 'aria-controls': panel.id };
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', props.id);
    return { id, panel, tab: button(() => choose(id), '.tab', props, name) };
  });
  const moved = (event) => {
    const at = rows.findIndex(({ tab }) => tab === event.target);
    const next = {
      ArrowLeft: rows.at(at - 1),
      ArrowRight: rows[(at + 1) % rows.length],
      Home: rows[0],
      End: rows.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    choose(next.id);
    next.tab.focus();
  };
  node.setAttribute('role', 'tablist');
  node.setAttribute('aria-label', label);
  node.addEventListener('keydown', moved);
  node.append(...rows.map(({ tab }) => tab));
  return (chosen) => {
    for (const { id, panel, tab } of rows) {
      tab.setAttribute('aria-selected', String(id === chosen));
      tab.tabIndex = id === chosen ? 0 : -1;
      panel.hidden = id !== chosen;
    }
  };
}
