/*
 * What the server tells, by part names such as `message/<channel>/<ts>`, and whose eyes the visitor
 * looks through. Whoever draws something listens to the kinds of parts that it shows.
 */
const parts = new Map();
const listeners = new Set();
const viewer = { person: null, channel: null, folder: null };

/** A part by its whole name. */
export function part(name) {
  return parts.get(name);
}

/** All parts below a name that ends with a slash. */
export function partsBelow(prefix) {
  return [...parts].filter(([name]) => name.startsWith(prefix)).map(([, value]) => value);
}

/** Who looks, at which channel and folder: identifiers. */
export function looking() {
  return viewer;
}

/** Looks elsewhere; `viewer` is the kind that its listeners hear. Folders follow channels. */
export function look(at) {
  Object.assign(viewer, at.channel ? { folder: null } : {}, at);
  remember();
  tell(new Set(['viewer']));
}

/** Calls `listener` with the set of changed kinds whenever one of `kinds` changes. */
export function onChange(kinds, listener) {
  const listening = { kinds, listener };
  listeners.add(listening);
  return () => listeners.delete(listening);
}

/** Takes in what the server tells. */
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

/** The channels that the person who looks can see. */
export function visibleChannels(person = viewer.person) {
  return (part('cast')?.channels ?? []).filter(({ members }) => members.includes(person));
}

/** The folder that is looked at: the one chosen, else the channel's, else the first there is. */
export function currentFolder() {
  const linked = part('links')?.[viewer.channel]?.folderId;
  return viewer.folder ?? linked ?? partsBelow('project/')[0]?.folders[0]?.id;
}

export function currentChannel() {
  return part('cast')?.channels.find(({ id }) => id === viewer.channel);
}

export function currentPerson() {
  return part('cast')?.people.find(({ id }) => id === viewer.person);
}

/** Goes on as another person: in the same channel when that one is a member, else in the first. */
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

/** Who looks at which channel, by names: identifiers change with each start of the playground. */
export function lookingByName() {
  const { name: channel, kind } = currentChannel() ?? {};
  return { person: currentPerson()?.name, channel, kind };
}

function settle() {
  const { people } = part('cast');
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
