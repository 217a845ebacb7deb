import type { Clock } from './clock.ts';

interface SingleFlightOptions {
  clock: Clock;
  /**
   * How long a result is shared, counted from the start of its call, in milliseconds; 0: only while
   * the call runs.
   */
  keepMs: number;
}

/**
 * Shares calls by key: callers get the result of a running call, and of one that began at most
 * `keepMs` ago, unless it failed.
 */
export function createSingleFlight<T>({ clock, keepMs }: SingleFlightOptions) {
  const flights = new Map<string, { askedAt: number; isOver: boolean; result: Promise<T> }>();

  function forgetOld(now: number): void {
    for (const [key, { isOver, askedAt }] of flights) {
      const age = now - askedAt;
      // If the clock was set back, the age is unknown.
      if (isOver && (age < 0 || age >= keepMs)) flights.delete(key);
    }
  }

  return (key: string, call: () => Promise<T>): Promise<T> => {
    const askedAt = clock.now();
    forgetOld(askedAt);
    const known = flights.get(key);
    if (known) return known.result;
    const flight = { askedAt, isOver: false, result: call() };
    flights.set(key, flight);
    const end = () => {
      flight.isOver = true;
    };
    flight.result.then(end, () => flights.delete(key));
    return flight.result;
  };
}
