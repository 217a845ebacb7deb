import type { Clock } from '../base/index.ts';

/** A wait that a hint can end: polling is the floor, waking makes it quick. */
export interface Wakeable {
  wake(): void;
  /** Resolves after `ms`, at a wake (also one that came while nobody waited), or at the abort. */
  wait(ms: number, options: { clock: Clock; signal: AbortSignal }): Promise<void>;
}

/** A reason of its own spares each wait the stack of a new error. */
const WOKEN = new Error('woken');

export function createWakeable(): Wakeable {
  let woken = false;
  let ring = () => {};
  return {
    wake: () => {
      woken = true;
      ring();
    },
    wait: async (ms, { clock, signal }) => {
      const stop = new AbortController();
      const rung = new Promise<void>((resolve) => {
        ring = resolve;
      });
      if (woken) ring();
      const slept = clock.sleep(ms, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
      await Promise.race([rung, slept]);
      stop.abort(WOKEN);
      woken = false;
    },
  };
}
