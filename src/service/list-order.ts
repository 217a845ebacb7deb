import type { FileRecord } from './records.ts';

/** Where a list shows what was added last: at its end, or at its beginning. */
export type ListOrder = 'oldest-first' | 'newest-first';

/** The order that records show, by their identifiers or else by their times; null for another. */
export function orderOf(records: readonly FileRecord[]): ListOrder | null {
  return byKey(records.map(({ id }) => id)) ?? timeOrderOf(records);
}

/** The order that the times of records show; null when it is another, or one has no time. */
export function timeOrderOf(records: readonly FileRecord[]): ListOrder | null {
  const times = records.flatMap(({ createdAt }) => createdAt ?? []);
  return times.length === records.length ? byKey(times) : null;
}

function byKey(keys: readonly number[]): ListOrder | null {
  const [first = 0] = keys;
  const last = keys.at(-1) ?? 0;
  if (first === last) return null;
  const sign = first < last ? 1 : -1;
  for (let at = 1; at < keys.length; at++) {
    if (((keys[at] ?? 0) - (keys[at - 1] ?? 0)) * sign < 0) return null;
  }
  return first < last ? 'oldest-first' : 'newest-first';
}
