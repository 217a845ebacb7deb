import { h, icon } from '../base/dom.js';
import { keepFocus } from '../base/focus.js';
import { shownSize } from '../base/shown.js';
import { attachable, filesOf } from './attachable.js';

/**
 * Keeps and lists the files to share with the text of `input`: pasted, or picked with `picker`,
 * whose accessible name is `label`.
 */
export function attachedFiles(input, label) {
  const node = h('ul', { class: 'attached', 'aria-label': 'Files to share', hidden: true });
  const picked = h('input', { type: 'file', multiple: true, class: 'unseen' });
  const picker = h(
    'label',
    { class: 'attach', title: label },
    picked,
    icon('clip'),
    h('span', { class: 'unseen' }, label),
  );
  let files = [];

  const draw = () => {
    node.hidden = files.length === 0;
    keepFocus(node, () => node.replaceChildren(...files.map(row)));
  };
  const put = (others) => {
    files = others;
    draw();
  };
  const add = (more) => {
    put([...files, ...attachable([...more], files)]);
    input.focus();
  };
  const remove = (file) => () => put(files.filter((one) => one !== file));
  const row = (file) =>
    h(
      'li',
      {},
      icon('file'),
      h('b', {}, file.name),
      h('span', {}, shownSize(file.size)),
      h(
        'button',
        { type: 'button', 'aria-label': `Remove ${file.name}`, on: { click: remove(file) } },
        icon('close'),
      ),
    );

  picked.addEventListener('change', () => {
    add(picked.files);
    picked.value = '';
  });
  input.addEventListener('paste', (event) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(filesOf(event.clipboardData));
  });

  return {
    node,
    picker,
    add,
    /** Removes all files and returns them. */
    take: () => {
      const taken = files;
      put([]);
      return taken;
    },
    put,
    isEmpty: () => files.length === 0,
  };
}
