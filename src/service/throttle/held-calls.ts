import type { Clock } from '../../base/index.ts';
import type { Place } from './places.ts';

/** The calls that have been admitted and whose places have not come back yet. */
export interface HeldCalls {
  /** Holds a place for a call that may be sent now. */
  hold(place: Place): HeldCall;
  count(): number;
  /**
   * When the next place comes back, in milliseconds since the epoch: at the earliest, where calls
   * have not been answered yet. Null when none is held.
   */
  nextReturnAt(): number | null;
  /** Resolves when the places of all calls that are over have come back. */
  drained(): Promise<void>;
}

export interface HeldCall {
  /** The call is over: its place comes back after the time to hold, or at once if nothing was sent. */
  end(sent: boolean): void;
}

interface Held {
  place: Place;
  /** Null while the call is under way. */
  returnsAt: number | null;
}

/**
 * Keeps each place until `holdMs` after its call's end, whenever the service counted the call: any
 * time between sending and answer. When `signal` aborts, places come back at once.
 */
export function createHeldCalls(clock: Clock, holdMs: number, signal: AbortSignal): HeldCalls {
  const calls = new Set<Held>();
  const returning = new Set<Promise<void>>();

  function free(held: Held): void {
    calls.delete(held);
    held.place.free();
  }

  function freeLater(held: Held): void {
    held.returnsAt = clock.now() + holdMs;
    const returned = clock
      .sleep(holdMs, signal)
      .catch(() => {})
      .then(() => {
        free(held);
        returning.delete(returned);
      });
    returning.add(returned);
  }

  function hold(place: Place): HeldCall {
    const held: Held = { place, returnsAt: null };
    calls.add(held);
    return { end: (sent) => (sent ? freeLater(held) : free(held)) };
  }

  function nextReturnAt(): number | null {
    if (calls.size === 0) return null;
    const earliest = clock.now() + holdMs;
    return Math.min(...[...calls].map(({ returnsAt }) => returnsAt ?? earliest));
  }

  return {
    hold,
    count: () => calls.size,
    nextReturnAt,
    drained: async () => void (await Promise.all(returning)),
  };
}
