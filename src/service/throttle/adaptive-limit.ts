import { LONGEST_WAIT_MS } from '../../base/index.ts';
import type { ThrottleOptions } from './throttle.ts';

/** Of the limit, what comes back with each window: at least one. */
const REGROWN_SHARE = 1 / 12;
const FEWEST_SLOTS = 2;

/** Half as many slots, at least two (one where there is one). */
export function halved(slots: number): number {
  return Math.max(Math.min(FEWEST_SLOTS, slots), Math.floor(slots / 2));
}

/** How many slots there are one window later. */
export function regrown(slots: number, limit: number): number {
  return Math.min(limit, slots + Math.max(1, Math.floor(limit * REGROWN_SHARE)));
}

export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

/**
 * What an answer of 429 does. Everybody is held until the time that the service names, ten minutes at
 * the most. Then fewer slots are used, and more with each window; and calls go one at a time, until the
 * first good answer. So they do at first where instances share the limit, as others may be held.
 * `onChange` is called after every change; `signal` ends the timers.
 */
export function createAdaptiveLimit(
  { clock, limit, redis }: ThrottleOptions,
  onChange: () => void,
  signal: AbortSignal,
) {
  let slots = limit.requests;
  let until: number | null = null;
  let probing = redis !== undefined;
  let holds = 0;

  function heldUntil(): number | null {
    const now = clock.now();
    return until !== null && until > now ? Math.min(until, now + LONGEST_WAIT_MS) : null;
  }

  // The timer ends a hold as well as the clock, which may be set back meanwhile.
  async function recover(ms: number): Promise<void> {
    holds += 1;
    const hold = holds;
    await clock.sleep(ms, signal);
    while (hold === holds) {
      until = null;
      onChange();
      if (slots === limit.requests) return;
      await clock.sleep(limit.windowMs, signal);
      if (hold === holds) slots = regrown(slots, limit.requests);
    }
  }

  return {
    /** How many slots are used now. */
    slots: () => slots,
    /** Whether calls go one at a time. */
    isProbing: () => probing,
    /** Until when nobody passes, by our clock; null when nobody is held. */
    heldUntil,
    /** How many times everybody was held: a call that was sent before the last says nothing new. */
    holds: () => holds,
    /** Nobody passes for `ms`, and `to` slots are used after that; a hold that goes on for longer stays. */
    hold(ms: number, to = slots): void {
      const lastsMs = Math.min(Math.ceil(ms), LONGEST_WAIT_MS);
      if (clock.now() + lastsMs <= (heldUntil() ?? Number.NEGATIVE_INFINITY)) return;
      [slots, until, probing] = [Math.min(to, limit.requests), clock.now() + lastsMs, true];
      recover(lastsMs).catch(() => {});
      onChange();
    },
    /** A call has been answered well. */
    free(): void {
      if (heldUntil() !== null) return;
      probing = false;
      onChange();
    },
  };
}
