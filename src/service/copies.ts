import type { Clock } from '../base/index.ts';

export interface CopiesOptions<T> {
  clock: Clock;
  /** What all copies weigh at most; those used longest ago go first. */
  capacity: number;
  /** What a copy weighs; one that weighs more than the capacity is not kept. */
  weigh(copy: T): number;
  /** How old a copy is when it goes, in milliseconds. */
  keepMs(copy: T): number;
}

/** Copies of what was fetched, each with its time by our clock. */
export interface Copies<T> {
  keep(key: string, copy: T): void;
  /** The copy, however old it is; using it keeps it from giving way. */
  get(key: string): T | undefined;
}

export function createCopies<T extends { fetchedAt: number }>({
  clock,
  capacity,
  weigh,
  keepMs,
}: CopiesOptions<T>): Copies<T> {
  // In the order of use, as a Map keeps its order of insertion.
  const copies = new Map<string, { copy: T; weight: number }>();
  let total = 0;

  function forget(key: string): void {
    total -= copies.get(key)?.weight ?? 0;
    copies.delete(key);
  }

  function put(key: string, copy: T, weight: number): void {
    forget(key);
    if (weight > capacity) return;
    copies.set(key, { copy, weight });
    total += weight;
    for (const oldest of copies.keys()) if (total > capacity) forget(oldest);
  }

  function forgetOld(): void {
    const now = clock.now();
    for (const [key, { copy }] of copies) if (now - copy.fetchedAt > keepMs(copy)) forget(key);
  }

  return {
    keep: (key, copy) => {
      forgetOld();
      put(key, copy, weigh(copy));
    },
    get: (key) => {
      forgetOld();
      const kept = copies.get(key);
      if (kept) put(key, kept.copy, kept.weight);
      return kept?.copy;
    },
  };
}
