/** How long the first in line stays away before it asks again, in milliseconds. */
const RETURN_MS = 2_000;
const LONGEST_AWAY_MS = 60_000;
/** Who is so late loses its turn: it may be refused, stopped, or another instance's by now. */
const LATE_MS = 10_000;

export type Entry =
  | { leave(): void }
  /** No place is free: its turn is kept when it asks again after so many milliseconds. */
  | { comeBackInMs: number };

/**
 * Lets so many in at a time. Nobody waits inside: who finds no place stands in line, goes away, and
 * comes back, the sooner the nearer its turn is. Queues take turns, and within one the first comes
 * first.
 */
export interface Semaphore {
  /** `now` is epoch milliseconds. */
  enter(who: { id: number; queue: string }, now: number): Entry;
}

interface Waiting {
  queue: string;
  keptUntil: number;
}

export function createSemaphore(places: number): Semaphore {
  const line = new Map<number, Waiting>();
  /** The queues, by when one of theirs went in last. */
  const served = new Map<string, number>();
  let entered = 0;
  let free = places;
  const leave = () => {
    free += 1;
  };
  return {
    enter: ({ id, queue }, now) => {
      for (const [other, { keptUntil }] of line) if (keptUntil < now) line.delete(other);
      const ahead = countAhead({ id, queue }, line, served);
      if (ahead < free) {
        line.delete(id);
        free -= 1;
        entered += 1;
        served.set(queue, entered);
        return { leave };
      }
      const rounds = 1 + Math.floor((ahead - free) / places);
      const comeBackInMs = Math.min(LONGEST_AWAY_MS, rounds * RETURN_MS);
      line.set(id, { queue, keptUntil: now + comeBackInMs + LATE_MS });
      return { comeBackInMs };
    },
  };
}

/** How many of the line go before this one: of each queue one, then of each a second, and so on. */
function countAhead(
  who: { id: number; queue: string },
  line: ReadonlyMap<number, Waiting>,
  served: ReadonlyMap<string, number>,
): number {
  const taken = new Map<string, number>();
  const all = line.has(who.id) ? [...line] : [...line, [who.id, who] as const];
  const turns = all.map(([id, { queue }]) => {
    const round = taken.get(queue) ?? 0;
    taken.set(queue, round + 1);
    return { id, round, servedAt: served.get(queue) ?? 0 };
  });
  const sorted = turns.sort((a, b) => a.round - b.round || a.servedAt - b.servedAt);
  return sorted.findIndex(({ id }) => id === who.id);
}
