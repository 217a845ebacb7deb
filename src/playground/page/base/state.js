/*
 * The parts that the server sends, by names such as `message/<channel>/<ts>`, and the viewer: the
 * person that the visitor acts as, the channel and the folder. Each view listens to kinds of parts.
 */
const parts = new Map();
const listeners = new Set();
const viewer = { person: null, channel: null, folder: null };

/** Returns a part by its whole name. */
export function part(name) {
  return parts.get(name);
}

/** Returns all parts whose names start with `prefix`, which ends with a slash. */
export function partsBelow(prefix) {
  return [...parts].filter(([name]) => name.startsWith(prefix)).map(([, value]) => value);
}

/** Returns the viewer: identifiers of the person, the channel and the folder. */
export function looking() {
  return viewer;
}

/** Changes the viewer and notifies listeners of the kind `viewer`. A channel resets the folder. */
export function look(at) {
  Object.assign(viewer, at.channel ? { folder: null } : {}, at);
  remember();
  tell(new Set(['viewer']));
}

/** Calls `listener` with all changed kinds when any of `kinds` changes. Returns `unsubscribe`. */
export function onChange(kinds, listener) {
  const listening = { kinds, listener };
  listeners.add(listening);
  return () => listeners.delete(listening);
}

/** Applies an update from the server. */
export function receive({ whole, set, gone }) {
  const names = [...Object.keys(set), ...gone];
  if (whole) {
    names.push(...parts.keys());
    parts.clear();
  }
  for (const name of gone) parts.delete(name);
  for (const [name, value] of Object.entries(set)) parts.set(name, value);
  if (whole) settle();
  tell(new Set(names.map((name) => name.split('/', 1)[0])));
}

/** Returns the channels that the person can see. */
export function visibleChannels(person = viewer.person) {
  return (part('workspace')?.channels ?? []).filter(({ members }) => members.includes(person));
}

/** Returns the chosen folder's identifier, else the channel's folder's, else the first one's. */
export function currentFolder() {
  const linked = part('links')?.[viewer.channel]?.folderId;
  return viewer.folder ?? linked ?? partsBelow('project/')[0]?.folders[0]?.id;
}

export function currentChannel() {
  return part('workspace')?.channels.find(({ id }) => id === viewer.channel);
}

export function currentPerson() {
  return part('workspace')?.people.find(({ id }) => id === viewer.person);
}

/** Switches the person; keeps the channel or direct messages if possible, else shows the first. */
export function become(person) {
  const channels = visibleChannels(person);
  const same = channels.find(({ id }) => id === viewer.channel);
  const direct =
    currentChannel()?.kind === 'direct' && channels.find(({ kind }) => kind === 'direct');
  look({ person, channel: (same ?? (direct || channels[0]))?.id });
}

function tell(changed) {
  for (const { kinds, listener } of listeners) {
    if (kinds.some((kind) => changed.has(kind))) listener(changed);
  }
}

/** Returns the viewer's person and channel by name: identifiers change with each start. */
export function lookingByName() {
  const { name: channel, kind } = currentChannel() ?? {};
  return { person: currentPerson()?.name, channel, kind };
}

function settle() {
  const { people } = part('workspace');
  const last = JSON.parse(sessionStorage.getItem('looking') ?? '{}');
  const person = people.find(({ name }) => name === last.person) ?? people[1];
  viewer.person = person.id;
  const channels = visibleChannels(person.id);
  const kept = channels.find(({ name, kind }) => name === last.channel && kind === last.kind);
  viewer.channel = (kept ?? channels[0]).id;
}

function remember() {
  sessionStorage.setItem('looking', JSON.stringify(lookingByName()));
}
