/** The moments of the last while. */
export interface TimeSpan {
  /** Adds a moment; returns how many there are now. */
  add(now: number): number;
  /** Takes one such moment out again. */
  remove(moment: number): void;
  size(now: number): number;
  /** Milliseconds until the oldest moment leaves; 0 when there is none. */
  oldestLeavesIn(now: number): number;
}

/** A span of `ms` milliseconds: a moment that is exactly so old has left. */
export function createTimeSpan(ms: number): TimeSpan {
  const moments: number[] = [];

  function forget(now: number): void {
    let gone = 0;
    while (gone < moments.length && (moments[gone] ?? now) <= now - ms) gone += 1;
    if (gone > 0) moments.splice(0, gone);
  }

  return {
    add: (now) => {
      forget(now);
      return moments.push(now);
    },
    remove: (moment) => {
      const index = moments.lastIndexOf(moment);
      if (index >= 0) moments.splice(index, 1);
    },
    size: (now) => {
      forget(now);
      return moments.length;
    },
    oldestLeavesIn: (now) => {
      forget(now);
      const [oldest] = moments;
      return oldest === undefined ? 0 : oldest + ms - now;
    },
  };
}
