import { ask } from '../base/ask.js';
import { button, byId, h, icon, iconButton } from '../base/dom.js';
import { drawOnChange, keyedList } from '../base/dom-updates.js';
import { formatDateTime, formatSize } from '../base/format.js';
import { menuButton } from '../base/menu-button.js';
import { oneTabStop } from '../base/one-tab-stop.js';
import { post, upload } from '../base/server.js';
import {
  currentFolder,
  entriesUnder,
  entry,
  folderPath,
  setViewer,
  subscribe,
  viewer,
} from '../base/state.js';

/** Shows the projects' folders as trees, with file counts and the channels linked to them. */
export function startFolders() {
  const open = new Map();
  const draw = drawOnChange(byId('folders'), ({ projects, folder, marks }) =>
    projects.map((project) => projectTree(project, { folder, marks, open })),
  );
  subscribe(['project', 'links', 'viewer', 'workspace'], () => {
    draw({ projects: entriesUnder('project/'), folder: currentFolder(), marks: marksByFolder() });
  });
  const current = (items) => items.find((item) => item.ariaCurrent) ?? items[0];
  oneTabStop(byId('folders'), 'summary, .folder', current);
}

// A project is open if it holds the current folder, until the visitor opens or closes it.
function projectTree({ id, title, folders }, { folder, marks, open }) {
  const isOpen = open.get(id) ?? folders.some((one) => one.id === folder);
  const count = folders.reduce((sum, one) => sum + one.count, 0);
  const toggled = () => open.set(id, !tree.open);
  const summary = h('summary', { on: { click: toggled } }, title, countBadge(count));
  const rows = folders.map((one) => folderRow(one, { folder, marks }));
  const tree = h('details.project', { open: isOpen }, summary, h('ul', rows));
  return tree;
}

function folderRow({ id, name, depth, count }, { folder, marks }) {
  const { names = [], isHere = false } = marks[id] ?? {};
  const mark = isHere ? 'span.link-mark.link-here' : 'span.link-mark';
  const row = button(
    () => setViewer({ folder: id }),
    '.row-button.folder',
    { 'aria-current': id === folder ? 'true' : null },
    icon('folder'),
    h('span.folder-name.clipped', name),
    names.map((channel) => h(mark, channel)),
    countBadge(count),
  );
  row.style.setProperty('--depth', Math.min(depth, 3));
  return h('li', row);
}

function countBadge(count) {
  const label = count === 1 ? '1 file' : `${count} files`;
  return h('span.count', { 'aria-label': label }, String(count));
}

function marksByFolder() {
  const marks = {};
  for (const { id, name } of entry('workspace').channels) {
    const link = entry('links')?.[id];
    if (!link) continue;
    marks[link.folderId] ??= { names: [], isHere: false };
    marks[link.folderId].names.push(`#${name}`);
    marks[link.folderId].isHere ||= id === viewer().channel;
  }
  return marks;
}

/** Shows the current folder's files as the service holds them, newest first. */
export function startFiles() {
  const head = h('header');
  const empty = h('p.empty', 'No files in this folder yet.');
  const list = h('ul.scrolls');
  byId('files').append(head, list, empty);
  const show = keyedList(list, fileRow);
  const draw = drawOnChange(head, ({ path, numbers, count, folder, adder }) => [
    h('h3', path, h('span.count', String(count))),
    numbers && h('p.fine-print', 'Project and folder: ', h('code', numbers)),
    folder && adder && folderTools(folder, adder),
  ]);
  oneTabStop(list, '.file', ([first]) => first);

  subscribe(['file', 'viewer', 'project', 'links', 'keyUser'], () => {
    const folderId = currentFolder();
    const project = entriesUnder('project/').find(({ folders }) =>
      folders.some(({ id }) => id === folderId),
    );
    const files = entriesUnder(`file/${folderId}/`).sort(
      (one, other) => other.createdAt - one.createdAt || other.id - one.id,
    );
    draw({
      path: project ? folderPath({ projectId: project.id, folderId }) : 'A folder that’s gone',
      numbers: project && `${project.id}/${folderId}`,
      count: files.length,
      folder: project?.folders.find(({ id }) => id === folderId),
      adder: entry('keyUser')?.split(' ')[0],
    });
    show(files, ({ id }) => id);
    empty.hidden = files.length > 0;
  });
}

// What somebody does in the service itself: adding a file, and renaming or deleting the folder.
function folderTools({ id: folderId, name }, adder) {
  const add = async ({ currentTarget }) => {
    const [file] = currentTarget.files;
    currentTarget.value = '';
    const uploaded = await upload(file);
    if (uploaded) await post('add', { upload: uploaded, folderId });
  };
  const picker = h('input.visually-hidden', { type: 'file', on: { change: add } });
  const items = () => [
    { label: 'Rename the folder', act: () => rename(folderId, name) },
    { label: 'Delete the folder', act: () => remove(folderId, name) },
  ];
  return h(
    'div.folder-tools',
    h('label.button.button-small', picker, `Add a file as ${adder}`),
    menuButton({ face: '⋯', label: 'Folder actions', items }),
  );
}

async function rename(folderId, name) {
  const input = h('input.text-input', {
    type: 'text',
    value: name,
    maxlength: 200,
    required: true,
  });
  const content = h('label', 'Name', input);
  const question = { title: 'Rename the folder', content, agree: 'Rename', deny: 'Cancel' };
  if (await ask(question)) await post('renameFolder', { folderId, name: input.value });
}

async function remove(folderId, name) {
  const content = `${name} goes with all that is in it, as if somebody deleted it in the service.`;
  const words = { title: 'Delete the folder?', content, agree: 'Delete', deny: 'Keep it' };
  if (await ask({ ...words, isDanger: true })) await post('deleteFolder', { folderId });
}

function fileRow() {
  const node = h('li.file');
  const update = drawOnChange(node, (file) => [icon('file'), fileText(file), fileButtons(file)]);
  return { node, update };
}

function fileText({ name, byteSize, createdAt, creator, id, sha256 }) {
  const facts = `${formatSize(byteSize)} · ${formatDateTime(createdAt)} · ${creator}`;
  return h(
    'div.file-text',
    h('b.clipped', { title: name }, name),
    h('span.fine-print', { title: `record ${id} · sha256 ${sha256}` }, facts),
  );
}

function fileButtons({ id, name }) {
  const remove = () => post('remove', { fileId: id });
  const title = 'Delete in the service, as someone else';
  const href = `/service-files/${id}`;
  const download = { href, download: name, title: 'Download', 'aria-label': `Download ${name}` };
  return h(
    'div.file-buttons',
    h('a.icon-button', download, icon('download')),
    iconButton('trash', `${title}: ${name}`, remove, { title }),
  );
}
