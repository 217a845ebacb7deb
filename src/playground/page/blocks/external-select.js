import { button, h } from '../base/dom.js';
import { choose } from './actions.js';
import { plainText } from './text.js';

let count = 0;

/** Draws a select whose options the app suggests as the person types. */
export function externalSelect(element, context) {
  const minLength = element.min_query_length ?? 3;
  count += 1;
  const list = h('div.overflow-menu.card', {
    id: `suggestions-${count}`,
    role: 'listbox',
    hidden: true,
    // Some browsers do not focus a clicked button: the field would lose focus and close the list.
    on: { mousedown: (event) => event.preventDefault() },
  });
  let searches = 0;

  const setOpen = (isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
  };
  const pick = (option) => () => {
    input.value = plainText(option.text);
    setOpen(false);
    void choose(element, context, { choice: option, control: input });
  };
  const show = (options) => {
    const rows = options.map((option) =>
      button(pick(option), '', { role: 'option' }, plainText(option.text)),
    );
    // The option that has the focus may be gone.
    if (list.contains(document.activeElement)) input.focus();
    list.replaceChildren(...(rows.length > 0 ? rows : [h('p', 'No results')]));
    setOpen(true);
    list.scrollIntoView({ block: 'nearest' });
  };
  const search = async (text) => {
    searches += 1;
    const mine = searches;
    if (text.length < minLength) return setOpen(false);
    const options = await context.handlers.suggest(element.action_id, text);
    if (mine === searches && node.contains(document.activeElement)) show(options);
  };
  const typed = () => search(input.value);
  // With a `min_query_length` of 0, Slack asks for options before anything is typed.
  const opened = () => list.hidden && search('');
  const pressed = (event) => {
    if (event.key === 'ArrowDown') opened();
    if (event.key !== 'Escape' || list.hidden) return;
    // Escape would also close the modal around it.
    event.preventDefault();
    searches += 1;
    setOpen(false);
    input.focus();
  };
  const left = ({ relatedTarget }) => {
    if (node.contains(relatedTarget)) return;
    // Redrawing a form takes the focus away and gives it back at once.
    queueMicrotask(() => node.contains(document.activeElement) || setOpen(false));
  };

  const input = h('input.text-input', {
    id: context.id,
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    autocomplete: 'off',
    placeholder: plainText(element.placeholder) || 'Search…',
    value: plainText(element.initial_option?.text),
    on: { input: typed, click: opened },
  });
  const props = { on: { keydown: pressed, focusout: left } };
  const node = h('div.external-select', props, input, list);
  return node;
}
