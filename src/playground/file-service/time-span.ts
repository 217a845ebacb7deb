/** The moments within a span of time that ends now. */
interface TimeSpan {
  /** Adds a moment; returns how many are in the span. */
  add(now: number): number;
  /** Removes one such moment. */
  remove(moment: number): void;
  size(now: number): number;
  /** Milliseconds until the oldest moment leaves the span; 0 if there is none. */
  oldestLeavesIn(now: number): number;
}

/** Creates a span of `ms` milliseconds; a moment exactly that old has left it. */
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
