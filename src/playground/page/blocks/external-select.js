import { h } from '../base/dom.js';
import { choose } from './actions.js';
import { plainText } from './text.js';

let count = 0;

/**
 * Draws a select whose options the app suggests as the person types
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 */
export function externalSelect(element, context) {
  const minLength = element.min_query_length ?? 3;
  count += 1;
  const id = `suggestions-${count}`;
  const list = h('div.menu.card', {
    id,
    role: 'listbox',
    'aria-label': 'Suggestions',
    hidden: true,
    // Some browsers focus what is clicked: the field would lose the focus and close the list.
    on: { mousedown: (event) => event.preventDefault() },
  });
  let searches = 0;
  let options = [];
  let active = -1;

  const rows = () => [...list.querySelectorAll('[role=option]')];
  const setOpen = (isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
    setActive(-1);
  };
  const setActive = (index) => {
    active = index;
    for (const [at, row] of rows().entries()) row.ariaSelected = String(at === index);
    rows()[index]?.scrollIntoView({ block: 'nearest' });
    if (index < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `${id}-${index}`);
  };
  const pick = (option) => {
    input.value = plainText(option.text);
    searches += 1;
    setOpen(false);
    void choose(element, context, { choice: option, control: input });
  };
  const show = (found) => {
    options = found;
    const drawn = found.map((option, at) => {
      const props = { id: `${id}-${at}`, role: 'option', on: { click: () => pick(option) } };
      return h('div.option', props, plainText(option.text));
    });
    list.replaceChildren(...(drawn.length > 0 ? drawn : [h('p', 'No results')]));
    setOpen(true);
    list.scrollIntoView({ block: 'nearest' });
  };
  const search = async (text) => {
    searches += 1;
    const mine = searches;
    if (text.length < minLength) return setOpen(false);
    const found = await context.handlers.suggest(element.action_id, text);
    if (mine === searches && node.contains(document.activeElement)) show(found);
  };
  const close = () => {
    searches += 1;
    setOpen(false);
  };
  const typed = () => search(input.value);
  // With a `min_query_length` of 0, Slack asks for options before anything is typed.
  const opened = () => list.hidden && search('');
  const move = (step) => {
    const from = active < 0 && step < 0 ? 0 : active;
    if (options.length > 0) setActive((from + step + options.length) % options.length);
  };
  const pressed = (event) => {
    const act = list.hidden
      ? { ArrowDown: () => search(input.value), ArrowUp: () => search(input.value) }[event.key]
      : {
          ArrowDown: () => move(1),
          ArrowUp: () => move(-1),
          Enter: () => active >= 0 && pick(options[active]),
          Escape: close,
        }[event.key];
    if (!act) return;
    // Enter would send the form around it, and Escape close the modal.
    event.preventDefault();
    void act();
  };
  const left = () => {
    // Redrawing a form takes the focus away and gives it back at once.
    queueMicrotask(() => node.contains(document.activeElement) || setOpen(false));
  };

  const input = h('input.text-input', {
    id: context.id,
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
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
