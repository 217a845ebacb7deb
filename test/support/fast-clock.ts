import type { Clock } from '../../src/base/index.ts';
import { systemClock } from '../../src/base/index.ts';

/** The machine's clock, but `speed` times as fast: a minute's patience ends in a moment. */
export function createFastClock(speed: number): Clock {
  const start = systemClock.now();
  return {
    now: () => start + (systemClock.now() - start) * speed,
    sleep: (ms, signal) => systemClock.sleep(Math.ceil(ms / speed), signal),
  };
}
