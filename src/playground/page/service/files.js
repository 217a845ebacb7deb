import { ask } from '../base/api.js';
import { byId, h, icon } from '../base/dom.js';
import { folderPath } from '../base/folder-path.js';
import { keepRows, redraw } from '../base/rows.js';
import { shownMoment, shownSize } from '../base/shown.js';
import { currentFolder, onChange, partsBelow } from '../base/state.js';

/** Shows the current folder's files as the service holds them, newest first. */
export function startFiles() {
  const head = h('header', {});
  const empty = h('p', { class: 'empty' }, 'No files in this folder yet.');
  const list = h('ul', { class: 'scrolls' });
  byId('files').append(head, list, empty);
  const show = keepRows(list, fileRow);
  const draw = redraw(head, ({ path, numbers, count }) => [
    h('h3', {}, path, h('span', { class: 'count' }, String(count))),
    numbers && h('p', {}, 'Project and folder: ', h('code', {}, numbers)),
  ]);

  onChange(['file', 'viewer', 'project', 'links'], () => {
    const folderId = currentFolder();
    const project = partsBelow('project/').find(({ folders }) =>
      folders.some(({ id }) => id === folderId),
    );
    const files = partsBelow(`file/${folderId}/`).sort(
      (one, other) => other.createdAt - one.createdAt || other.id - one.id,
    );
    draw({
      path: project ? folderPath({ projectId: project.id, folderId }) : 'A folder that’s gone',
      numbers: project && `${project.id}/${folderId}`,
      count: files.length,
    });
    show(files, ({ id }) => id);
    empty.hidden = files.length > 0;
  });
}

function fileRow() {
  const node = h('li', { class: 'file' });
  const draw = redraw(node, (file) => [icon('file'), words(file), buttons(file)]);
  return { node, update: draw };
}

function words({ name, byteSize, createdAt, creator, id, sha256 }) {
  return h(
    'div',
    { class: 'file-words' },
    h('b', { title: name }, name),
    h(
      'span',
      { title: `record ${id} · sha256 ${sha256}` },
      `${shownSize(byteSize)} · ${shownMoment(createdAt)} · ${creator}`,
    ),
  );
}

function buttons({ id, name }) {
  const remove = () => ask('remove', { fileId: id });
  const title = 'Delete in the service, as someone else';
  return h(
    'div',
    { class: 'file-buttons' },
    h(
      'a',
      {
        class: 'icon-button',
        href: `/service-files/${id}`,
        download: name,
        title: 'Download',
        'aria-label': `Download ${name}`,
      },
      icon('download'),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        title,
        'aria-label': `${title}: ${name}`,
        on: { click: remove },
      },
      icon('trash'),
    ),
  );
}
