import { button, h, icon } from '../base/dom.js';
import { keepFocus } from '../base/dom-updates.js';
import { formatSize } from '../base/format.js';
import { notify } from '../base/notices.js';

/** Slack's limit for one file, in bytes; the playground's server enforces it too. */
const LARGEST_FILE = 1024 ** 3;
/** How many go into one message: the playground's server takes no more. */
const MAX_FILES = 200;

/**
 * Keeps and lists the files to share with the text of `input`: pasted, or picked with `picker`,
 * whose accessible name is `label`.
 */
export function attachedFiles(input, label) {
  const node = h('ul.attached', { 'aria-label': 'Files to share', hidden: true });
  const picked = h('input.visually-hidden', { type: 'file', multiple: true });
  const picker = h(
    'label.attach',
    { title: label },
    picked,
    icon('clip'),
    h('span.visually-hidden', label),
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
      icon('file'),
      h('b.clipped', file.name),
      h('span', formatSize(file.size)),
      button(remove(file), '', { 'aria-label': `Remove ${file.name}` }, icon('close')),
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

/** Calls `take` with files dropped on `pane`, and shows an overlay while they hover over it. */
export function acceptDrops(pane, take) {
  const overlay = h('div.drop-overlay', { hidden: true, 'aria-hidden': 'true' }, 'Drop to attach');
  pane.append(overlay);
  const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
  pane.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    overlay.hidden = false;
  });
  pane.addEventListener('dragleave', (event) => {
    if (!pane.contains(event.relatedTarget)) overlay.hidden = true;
  });
  pane.addEventListener('drop', (event) => {
    overlay.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    take(filesOf(event.dataTransfer));
  });
}

// Returns dropped or pasted files; none, with a notice, if a folder is among them.
function filesOf({ items, files }) {
  const hasFolder = [...items].some((item) => item.webkitGetAsEntry()?.isDirectory);
  if (!hasFolder) return [...files];
  notify('Slack takes files, not folders. Nothing was attached.', 'problem');
  return [];
}

// Returns the files not too large to add to `attached`; none if too many. Shows a notice why.
function attachable(files, attached) {
  const tooLarge = files.filter(({ size }) => size > LARGEST_FILE);
  if (tooLarge.length > 0) {
    const what = tooLarge.length === 1 ? `${tooLarge[0].name} is` : `${tooLarge.length} files are`;
    notify(`${what} too large: Slack takes files of up to 1 GB.`, 'problem');
  }
  const taken = files.filter((file) => !tooLarge.includes(file));
  const count = attached.length + taken.length;
  if (count <= MAX_FILES) return taken;
  notify(
    `One message takes up to ${MAX_FILES} files, and these would be ${count}. None was added.`,
    'problem',
  );
  return [];
}
