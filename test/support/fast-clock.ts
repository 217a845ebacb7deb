import { type Clock, systemClock } from '../../src/base/index.ts';

/** Ahead of the embedded Slack's: what was shared just before a channel was linked lies clearly before that. */
export const LATER_MS = 60_000;

/**
 * The machine's clock, but `speed` times as fast, and `aheadMs` ahead where it begins: a minute's
 * patience ends in a moment.
 */
export function createFastClock(speed: number, aheadMs = 0): Clock {
  const start = systemClock.now();
  return {
    now: () => start + aheadMs + (systemClock.now() - start) * speed,
    sleep: (ms, signal) => systemClock.sleep(Math.ceil(ms / speed), signal),
  };
}
