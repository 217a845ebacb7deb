import type { Clock, Logger } from '../../base/index.ts';
import { type Allowance, afterCleanWindow, afterRateLimit } from './allowance.ts';

/** How many places the throttle allows itself at present, learned from the service's answers. */
export interface AllowedPlaces {
  count(): number;
  /** A call that was sent at `sentAt` has been answered with 429. */
  rateLimited(sentAt: number): void;
  /** Takes over what another instance has learned; null when there is nothing. */
  follow(learned: Allowance | null): void;
  /** Resolves when the places are as many as allowed; to be awaited before one is taken. */
  settle(): Promise<void>;
}

export interface AllowedPlacesOptions {
  limit: { requests: number; windowMs: number };
  clock: Clock;
  logger: Logger;
  /** Whether anybody may pass the gate: time in which nobody may proves nothing. */
  open: () => boolean;
  /** Changes how many places there are. */
  resize: (places: number) => Promise<void>;
  /** Tells the other instances. */
  share: (allowance: Allowance) => void;
  /** Reads what the other instances have learned; does not reject. */
  consult: () => Promise<void>;
  /** Told of places that could not be resized; `settle` tries again. */
  onError: (error: unknown) => void;
  /** Ends the timers. */
  signal: AbortSignal;
}

/** Starts at the limit. */
export function createAllowedPlaces(options: AllowedPlacesOptions): AllowedPlaces {
  const { limit, clock, logger, signal } = options;
  let allowance: Allowance = { places: limit.requests, changedAt: 0 };
  let resizedTo: number | null = null;
  let recovering = false;

  async function settle(): Promise<void> {
    const { places } = allowance;
    if (resizedTo === places) return;
    await options.resize(places);
    resizedTo = places;
  }

  function change(to: Allowance): void {
    allowance = to;
    settle().catch(options.onError);
    if (allowance.places < limit.requests) recover().catch(options.onError);
  }

  function learn(to: Allowance): void {
    if (to === allowance) return;
    change(to);
    options.share(to);
    logger.info(
      { allowed: to.places, limit: limit.requests },
      'Places allowed to the file service',
    );
  }

  async function recover(): Promise<void> {
    if (recovering) return;
    recovering = true;
    try {
      while (allowance.places < limit.requests) await recoverStep();
    } finally {
      recovering = false;
    }
  }

  async function recoverStep(): Promise<void> {
    await clock.sleep(limit.windowMs, signal);
    await options.consult();
    const now = clock.now();
    if (options.open()) learn(afterCleanWindow(allowance, limit, now));
    else allowance = { ...allowance, changedAt: now };
  }

  return {
    count: () => allowance.places,
    rateLimited: (sentAt) => learn(afterRateLimit(allowance, { sentAt, now: clock.now() })),
    follow(learned) {
      if (!learned || learned.changedAt <= allowance.changedAt) return;
      change({ ...learned, places: Math.min(learned.places, limit.requests) });
    },
    settle,
  };
}
