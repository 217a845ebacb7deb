/*
 * The entries that the server sends, by names such as `message/<channel>/<ts>`, and the viewer: the
 * person that the visitor acts as, the channel, the folder, the `pane` of the service, and the `tab`
 * of the app's conversation. Each view subscribes to kinds of
 * entries: what comes before the first slash of their names.
 */
const entries = new Map();
const subscribers = new Set();
const current = { person: null, channel: null, folder: null, pane: 'files', tab: 'home' };

/** Returns an entry by its whole name. */
export function entry(name) {
  return entries.get(name);
}

/** Returns all entries whose names start with `prefix`, which ends with a slash. */
export function entriesUnder(prefix) {
  return [...entries].filter(([name]) => name.startsWith(prefix)).map(([, value]) => value);
}

/** Returns the viewer: identifiers of the person, the channel and the folder, the pane and tab. */
export function viewer() {
  return current;
}

/** Changes the viewer, and notifies subscribers of that kind. A channel resets the folder. */
export function setViewer(changed) {
  Object.assign(current, changed.channel ? { folder: null } : {}, changed);
  sessionStorage.setItem('viewer', JSON.stringify(viewerByName()));
  notifySubscribers(new Set(['viewer']));
}

/** Calls `listener` when any of `kinds` changes. Returns a function to stop it. */
export function subscribe(kinds, listener) {
  const subscriber = { kinds, listener };
  subscribers.add(subscriber);
  return () => subscribers.delete(subscriber);
}

/** Applies an update from the server. */
export function applyUpdate({ whole, set, gone }) {
  const names = [...Object.keys(set), ...gone];
  if (whole) {
    names.push(...entries.keys());
    entries.clear();
  }
  for (const name of gone) entries.delete(name);
  for (const [name, value] of Object.entries(set)) entries.set(name, value);
  if (whole) restoreViewer();
  notifySubscribers(new Set(names.map((name) => name.split('/', 1)[0])));
}

/** Returns the channels that the person can see. */
export function visibleChannels(person = current.person) {
  return (entry('workspace')?.channels ?? []).filter(({ members }) => members.includes(person));
}

/** Returns the chosen folder's identifier, else the channel's folder's, else the first one's. */
export function currentFolder() {
  const linked = entry('links')?.[current.channel]?.folderId;
  return current.folder ?? linked ?? entriesUnder('project/')[0]?.folders[0]?.id;
}

export function currentChannel() {
  return entry('workspace')?.channels.find(({ id }) => id === current.channel);
}

/** Switches the person; keeps the channel or direct messages if possible, else shows the first. */
export function switchPerson(person) {
  const channels = visibleChannels(person);
  const same = channels.find(({ id }) => id === current.channel);
  const direct =
    currentChannel()?.kind === 'direct' && channels.find(({ kind }) => kind === 'direct');
  setViewer({ person, channel: (same ?? (direct || channels[0]))?.id });
}

/** Returns the viewer's person and channel by name: identifiers change with each start. */
export function viewerByName() {
  const { name: channel, kind } = currentChannel() ?? {};
  const person = entry('workspace')?.people.find(({ id }) => id === current.person)?.name;
  return { person, channel, kind };
}

/** Returns a folder's path in words, from its project down. */
export function folderPath({ projectId, folderId }) {
  const project = entry(`project/${projectId}`);
  const byId = new Map(project?.folders.map((folder) => [folder.id, folder]));
  const names = [];
  for (let at = byId.get(folderId); at; at = byId.get(at.parentId)) names.unshift(at.name);
  const shown = names.length > 0 ? names : ['a folder that’s gone'];
  return [project?.title ?? projectId, ...shown].join(' › ');
}

function restoreViewer() {
  const { people } = entry('workspace');
  const last = JSON.parse(sessionStorage.getItem('viewer') ?? '{}');
  const person = people.find(({ name }) => name === last.person) ?? people[1];
  current.person = person.id;
  const channels = visibleChannels(person.id);
  const same = channels.find(({ name, kind }) => name === last.channel && kind === last.kind);
  current.channel = (same ?? channels[0]).id;
}

function notifySubscribers(changed) {
  for (const { kinds, listener } of subscribers) {
    if (kinds.some((kind) => changed.has(kind))) listener();
  }
}
