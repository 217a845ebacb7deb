import { h } from '../base/dom.js';
import { choose } from './choose.js';
import { plainText } from './text-object.js';

/** A select whose options the app gives as one types. */
export function externalSelect(element, at) {
  const least = element.min_query_length ?? 3;
  const list = h('div', { class: 'overflow-menu', role: 'listbox', hidden: true });
  let asked = 0;

  const pick = (option) => () => {
    input.value = plainText(option.text);
    list.hidden = true;
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
    list.hidden = false;
    list.scrollIntoView({ block: 'nearest' });
  };
  const search = async (text) => {
    asked += 1;
    const mine = asked;
    list.hidden ||= text.length < least;
    if (text.length < least) return;
    const place = { actionId: element.action_id, blockId: at.blockId };
    const options = await at.scene.suggest(place, text);
    if (mine === asked) show(options);
  };
  const typed = () => search(input.value);
  // All that there is, where Slack asks for it without a word.
  const opened = () => list.hidden && search('');
  const pressed = ({ key }) => key === 'ArrowDown' && opened();

  const input = h('input', {
    id: at.id,
    class: 'text-input',
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    placeholder: plainText(element.placeholder) || 'Search…',
    value: plainText(element.initial_option?.text),
    on: { input: typed, click: opened, keydown: pressed },
  });
  return h('div', { class: 'external-select' }, input, list);
}
