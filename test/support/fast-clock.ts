import { type Clock, systemClock } from '../../src/base/index.ts';

/** Ahead of the embedded Slack's clock, so files shared just before a link are clearly earlier. */
export const LATER_MS = 60_000;

/**
 * Returns the machine's clock, running `speed` times as fast and starting `aheadMs` ahead, so that
 * a wait of a minute ends in a moment.
 */
export function createFastClock(speed: number, aheadMs = 0): Clock {
  const start = systemClock.now();
  return {
    now: () => start + aheadMs + (systemClock.now() - start) * speed,
    sleep: (ms, signal) => systemClock.sleep(Math.ceil(ms / speed), signal),
  };
}
