import type { Clock } from '../../base/index.ts';
import { createMinuteHistory, type SecondCount } from './minute-history.ts';
import { createTimeSpan } from './time-span.ts';

export interface RateLimit {
  /** How many requests are admitted per window; the service interface, section 8, says 25. */
  requests: number;
  /** The window's length in milliseconds; the same section says 10 000. */
  windowMs: number;
}

/** The place of an admitted request in the window. */
export interface Place {
  /** Frees the place, as if the service had never seen the request. */
  giveBack(): void;
}

interface WindowGauge {
  /** Requests admitted in the window that ends now. */
  used: number;
  limit: number;
  windowMs: number;
  /** Milliseconds until the next place is freed; 0 if all are free. */
  resetInMs: number;
}

export interface WindowStatistics {
  /** All requests, refused ones included. */
  total: number;
  /** 429 responses, injected ones included. */
  refused: number;
  /** The most requests admitted in any window. */
  most: number;
  /** The most requests that arrived in any window, refused ones included. */
  mostArrived: number;
}

/** The account's rate limit: a true sliding window, counted at each request's arrival. */
export interface RateWindow {
  /** Admits a request, or returns null to refuse it. Refused requests take no place. */
  admit(): Place | null;
  /** Counts a 429 that the window itself did not cause. */
  countRefusal(): void;
  gauge(): WindowGauge;
  statistics(): WindowStatistics;
  /** The last 60 seconds, oldest first. */
  history(): SecondCount[];
}

/** Creates one account's window, which counts calls from all IP addresses together. */
export function createRateWindow(limit: RateLimit, clock: Clock): RateWindow {
  const admitted = createTimeSpan(limit.windowMs);
  const arrived = createTimeSpan(limit.windowMs);
  const history = createMinuteHistory();
  const statistics = { total: 0, refused: 0, most: 0, mostArrived: 0 };

  function refuse(now: number): null {
    statistics.refused += 1;
    history.count(now, 'refused');
    return null;
  }

  function admit(): Place | null {
    const now = clock.now();
    statistics.total += 1;
    statistics.mostArrived = Math.max(statistics.mostArrived, arrived.add(now));
    if (admitted.size(now) >= limit.requests) return refuse(now);
    statistics.most = Math.max(statistics.most, admitted.add(now));
    history.count(now, 'admitted');
    return { giveBack: () => admitted.remove(now) };
  }

  return {
    admit,
    countRefusal: () => void refuse(clock.now()),
    gauge: () => {
      const now = clock.now();
      const { requests, windowMs } = limit;
      const resetInMs = admitted.oldestLeavesIn(now);
      return { used: admitted.size(now), limit: requests, windowMs, resetInMs };
    },
    statistics: () => ({ ...statistics }),
    history: () => history.seconds(clock.now()),
  };
}
