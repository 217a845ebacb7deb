import type { Clock } from './clock.ts';

interface SingleFlightOptions {
  clock: Clock;
  /**
   * How long a result serves others, from when it was asked for, in milliseconds; 0: while it is
   * under way.
   */
  keepMs: number;
}

interface Flight<T> {
  askedAt: number;
  isOver: boolean;
  result: Promise<T>;
}

/**
 * Shares calls by their key: who asks while one is under way has its result, and who asks within `keepMs`
 * of it too, unless it failed.
 */
export function createSingleFlight<T>({ clock, keepMs }: SingleFlightOptions) {
  const flights = new Map<string, Flight<T>>();

  function forgetOld(now: number): void {
    for (const [key, { isOver, askedAt }] of flights) {
      const age = now - askedAt;
      // Of a clock that was set back nobody knows how old it is.
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
