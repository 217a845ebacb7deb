import { h } from '../base/dom.js';
import { choose } from './choose.js';
import { plainText } from './text-object.js';

let made = 0;

/** Draws a select whose options the app suggests as the person types. */
export function externalSelect(element, at) {
  const least = element.min_query_length ?? 3;
  made += 1;
  const list = h('div', {
    id: `suggestions-${made}`,
    class: 'overflow-menu',
    role: 'listbox',
    hidden: true,
    // Some browsers do not focus a clicked button: the field would lose focus and close the list.
    on: { mousedown: (event) => event.preventDefault() },
  });
  let asked = 0;

  const setOpen = (isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
  };
  const pick = (option) => () => {
    input.value = plainText(option.text);
    setOpen(false);
    choose(element, at, { choice: option, control: input });
  };
  const show = (options) => {
    const rows = options.map((option) =>
      h(
        'button',
        { type: 'button', role: 'option', on: { click: pick(option) } },
        plainText(option.text),
      ),
    );
    list.replaceChildren(...(rows.length > 0 ? rows : [h('p', {}, 'No results')]));
    setOpen(true);
    list.scrollIntoView({ block: 'nearest' });
  };
  const search = async (text) => {
    asked += 1;
    const mine = asked;
    if (text.length < least) return setOpen(false);
    const place = { actionId: element.action_id, blockId: at.blockId };
    const options = await at.scene.suggest(place, text);
    if (mine === asked && node.contains(document.activeElement)) show(options);
  };
  const typed = () => search(input.value);
  // With a `min_query_length` of 0, Slack asks for options before anything is typed.
  const opened = () => list.hidden && search('');
  const pressed = (event) => {
    if (event.key === 'ArrowDown') opened();
    if (event.key !== 'Escape' || list.hidden) return;
    // Escape would also close the modal around it.
    event.preventDefault();
    asked += 1;
    setOpen(false);
    input.focus();
  };
  const left = ({ relatedTarget }) => {
    if (node.contains(relatedTarget)) return;
    // Redrawing a form takes the focus away and gives it back at once.
    queueMicrotask(() => node.contains(document.activeElement) || setOpen(false));
  };

  const input = h('input', {
    id: at.id,
    class: 'text-input',
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    autocomplete: 'off',
    placeholder: plainText(element.placeholder) || 'Search…',
    value: plainText(element.initial_option?.text),
    on: { input: typed, click: opened },
  });
  const props = { class: 'external-select', on: { keydown: pressed, focusout: left } };
  const node = h('div', props, input, list);
  return node;
}
