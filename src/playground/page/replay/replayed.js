/** All parts as they stood just after the event of that index. */
export function partsAfter(events, index) {
  const parts = new Map();
  for (const { set, gone } of events.slice(0, index + 1)) {
    for (const name of gone) parts.delete(name);
    for (const [name, value] of Object.entries(set)) parts.set(name, value);
  }
  return Object.fromEntries(parts);
}

/** Whether one sees a difference after an event. */
export function changesSomething({ set, gone }) {
  return gone.length > 0 || Object.keys(set).length > 0;
}

/** The index of the nearest event that changes something, `step` (1 or -1) from `index`; else `index`. */
export function nextChange(events, index, step) {
  for (let at = index + step; events[at]; at += step) if (changesSomething(events[at])) return at;
  return index;
}

/** Where an event can be seen: what to look at, of channel, person and folder. */
export function placeOf({ set, gone }) {
  const place = {};
  for (const name of [...Object.keys(set), ...gone]) {
    const [kind, where, whose] = name.split('/');
    if (kind === 'message') place.channel = where;
    if (kind === 'ephemeral') Object.assign(place, { channel: where, person: whose });
    if (kind === 'file') place.folder = Number(where);
  }
  return place;
}

/** A time since the beginning, in milliseconds, as people read it. */
export function shownSpan(ms) {
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
