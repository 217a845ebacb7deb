import type { Clock } from '../../base/index.ts';

export interface RateLimit {
  /** How many requests are admitted per window; the service interface, section 8, says 25. */
  requests: number;
  /** The window's length in milliseconds; the same section says 10 000. */
  windowMs: number;
}

/** The right to one request in the window. */
export interface Slot {
  /** Frees the slot, as if the service had never seen the request. */
  giveBack(): void;
}

interface WindowStatistics {
  /** All requests, refused ones included. */
  total: number;
  /** 429 responses, injected ones included. */
  refused: number;
  /** The most requests admitted in any window. */
  most: number;
  /** The most requests that arrived in any window, refused ones included. */
  mostArrived: number;
}

interface SecondCount {
  /** The second's start, in milliseconds since the epoch. */
  at: number;
  admitted: number;
  refused: number;
}

export type RateWindow = ReturnType<typeof createRateWindow>;

const HISTORY_SECONDS = 60;

/**
 * Creates one account's rate limit: a true sliding window. It counts requests at their arrival, from
 * all IP addresses together.
 */
export function createRateWindow({ requests, windowMs }: RateLimit, clock: Clock) {
  // The times of the requests in the window, oldest first.
  const admitted: number[] = [];
  const arrived: number[] = [];
  const seconds = new Map<number, SecondCount>();
  const statistics: WindowStatistics = { total: 0, refused: 0, most: 0, mostArrived: 0 };

  // A request exactly one window old has left it.
  function moveWindow(): number {
    const now = clock.now();
    for (const times of [admitted, arrived]) {
      const kept = times.findIndex((at) => at > now - windowMs);
      times.splice(0, kept < 0 ? times.length : kept);
    }
    return now;
  }

  function countInSecond(now: number, outcome: 'admitted' | 'refused'): void {
    const at = startOfSecond(now);
    for (const old of seconds.keys()) if (old <= at - HISTORY_SECONDS * 1000) seconds.delete(old);
    const second = seconds.get(at) ?? { at, admitted: 0, refused: 0 };
    seconds.set(at, { ...second, [outcome]: second[outcome] + 1 });
  }

  /** Counts a 429, also one that the window itself did not cause. */
  function countRefusal(): void {
    statistics.refused += 1;
    countInSecond(clock.now(), 'refused');
  }

  /** Admits a request, or returns null to refuse it. Refused requests take no slot. */
  function admit(): Slot | null {
    const now = moveWindow();
    statistics.total += 1;
    statistics.mostArrived = Math.max(statistics.mostArrived, arrived.push(now));
    if (admitted.length >= requests) {
      countRefusal();
      return null;
    }
    statistics.most = Math.max(statistics.most, admitted.push(now));
    countInSecond(now, 'admitted');
    return { giveBack: () => void removeLast(admitted, now) };
  }

  return {
    admit,
    countRefusal,
    /** Returns the requests in the window, and the milliseconds until the next leaves it, or 0. */
    usage: () => {
      const now = moveWindow();
      const [oldest] = admitted;
      const resetInMs = oldest === undefined ? 0 : oldest + windowMs - now;
      return { used: admitted.length, limit: requests, windowMs, resetInMs };
    },
    statistics: () => ({ ...statistics }),
    /** Returns the last 60 seconds, oldest first; the last is the current one. */
    history: () => {
      const first = startOfSecond(clock.now()) - (HISTORY_SECONDS - 1) * 1000;
      return Array.from({ length: HISTORY_SECONDS }, (_, index) => {
        const at = first + index * 1000;
        return seconds.get(at) ?? { at, admitted: 0, refused: 0 };
      });
    },
  };
}

function startOfSecond(now: number): number {
  return Math.floor(now / 1000) * 1000;
}

function removeLast(times: number[], time: number): void {
  const index = times.lastIndexOf(time);
  if (index >= 0) times.splice(index, 1);
}
