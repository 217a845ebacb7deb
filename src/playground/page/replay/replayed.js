/** Returns all parts as they were just after the event at `index`. */
export function partsAfter(events, index) {
  const parts = new Map();
  for (const { set, gone } of events.slice(0, index + 1)) {
    for (const name of gone) parts.delete(name);
    for (const [name, value] of Object.entries(set)) parts.set(name, value);
  }
  return Object.fromEntries(parts);
}

/** Whether an event changes anything that the page shows. */
export function changesSomething({ set, gone }) {
  return gone.length > 0 || Object.keys(set).length > 0;
}

/** Returns the index of the nearest change in the direction `step` (1 or -1), else `index`. */
export function nextChange(events, index, step) {
  for (let at = index + step; events[at]; at += step) if (changesSomething(events[at])) return at;
  return index;
}

/** Returns where an event can be seen: its channel, person and folder, as far as it has them. */
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

/** Formats milliseconds since the beginning as `hh:mm:ss.mmm`. */
export function shownSpan(ms) {
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
