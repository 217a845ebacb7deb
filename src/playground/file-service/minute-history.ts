export interface SecondCount {
  /** The second's start, in milliseconds since the epoch. */
  at: number;
  admitted: number;
  refused: number;
}

/** Counts requests by second, for the last minute. */
interface MinuteHistory {
  count(now: number, what: 'admitted' | 'refused'): void;
  /** Returns 60 seconds, oldest first; the last is the current one. */
  seconds(now: number): SecondCount[];
}

const SECONDS = 60;

export function createMinuteHistory(): MinuteHistory {
  const counts = new Map<number, SecondCount>();

  function forget(now: number): void {
    for (const at of counts.keys()) if (at <= now - SECONDS * 1000) counts.delete(at);
  }

  return {
    count: (now, what) => {
      const at = startOfSecond(now);
      forget(at);
      const second = counts.get(at) ?? { at, admitted: 0, refused: 0 };
      counts.set(at, { ...second, [what]: second[what] + 1 });
    },
    seconds: (now) =>
      Array.from({ length: SECONDS }, (_, index) => {
        const at = startOfSecond(now) - (SECONDS - 1 - index) * 1000;
        return counts.get(at) ?? { at, admitted: 0, refused: 0 };
      }),
  };
}

function startOfSecond(now: number): number {
  return Math.floor(now / 1000) * 1000;
}
