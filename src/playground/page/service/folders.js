import { byId, h, icon } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { currentFolder, look, looking, onChange, part, partsBelow } from '../base/state.js';

/** Shows the projects' folders as trees, with file counts and the channels linked to them. */
export function startFolders() {
  const open = new Map();
  const draw = redraw(byId('folders'), ({ projects, folder, marks }) =>
    projects.map((project) => projectTree(project, { folder, marks, open })),
  );
  onChange(['project', 'links', 'viewer', 'workspace'], () => {
    draw({ projects: partsBelow('project/'), folder: currentFolder(), marks: marksByFolder() });
  });
}

// A project is open if it holds the current folder, until the visitor opens or closes it.
function projectTree({ id, title, folders }, { folder, marks, open }) {
  const isOpen = open.get(id) ?? folders.some((one) => one.id === folder);
  const count = folders.reduce((sum, one) => sum + one.count, 0);
  const summary = h(
    'summary',
    {},
    title,
    h(
      'span',
      { class: 'count', 'aria-label': count === 1 ? '1 file' : `${count} files` },
      String(count),
    ),
  );
  const list = h('ul', {}, ...folders.map((one) => folderRow(one, { folder, marks })));
  const tree = h('details', { class: 'project', open: isOpen }, summary, list);
  summary.addEventListener('click', () => open.set(id, !tree.open));
  return tree;
}

function folderRow({ id, name, depth, count }, { folder, marks }) {
  const { names = [], isHere = false } = marks[id] ?? {};
  const links = names.map((channel) =>
    h('span', { class: `link-mark ${isHere ? 'link-here' : ''}` }, channel),
  );
  const props = {
    type: 'button',
    class: `folder depth-${Math.min(depth, 4)}`,
    'aria-current': id === folder ? 'true' : null,
  };
  return h(
    'li',
    {},
    h(
      'button',
      { ...props, on: { click: () => look({ folder: id }) } },
      icon('folder'),
      h('span', { class: 'folder-name' }, name),
      ...links,
      h(
        'span',
        { class: 'count', 'aria-label': count === 1 ? '1 file' : `${count} files` },
        String(count),
      ),
    ),
  );
}

function marksByFolder() {
  const marks = {};
  for (const { id, name } of part('workspace').channels) {
    const link = part('links')?.[id];
    if (!link) continue;
    marks[link.folderId] ??= { names: [], isHere: false };
    marks[link.folderId].names.push(`#${name}`);
    marks[link.folderId].isHere ||= id === looking().channel;
  }
  return marks;
}
