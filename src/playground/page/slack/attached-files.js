import { h, icon } from '../base/dom.js';
import { shownSize } from '../base/shown.js';

/** The files that wait to be shared with the next message. */
export function attachedFiles() {
  const node = h('ul', { class: 'attached', 'aria-label': 'Files to share', hidden: true });
  let files = [];

  const draw = () => {
    node.hidden = files.length === 0;
    node.replaceChildren(...files.map(row));
  };
  const remove = (file) => () => {
    files = files.filter((one) => one !== file);
    draw();
  };
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

  return {
    node,
    add: (more) => {
      files = [...files, ...more];
      draw();
    },
    /** Takes all of them away, to share them. */
    take: () => {
      const taken = files;
      files = [];
      draw();
      return taken;
    },
    isEmpty: () => files.length === 0,
  };
}
