import { onTestFinished, vi } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import type { ThrottleOptions } from '../../src/service/throttle/limits.ts';
import { createThrottle, type Throttle } from '../../src/service/throttle/throttle.ts';
import { type SimulatedCalls, simulateCalls } from './simulated-calls.ts';

export interface StartedThrottle extends SimulatedCalls {
  throttle: Throttle;
  /** Moves the virtual time on. */
  pass(ms: number): Promise<void>;
}

/** Returns the options of a throttle of 25 in 10 s that has its account to itself. */
export function throttleOptions(options: Partial<ThrottleOptions> = {}): ThrottleOptions {
  return {
    account: 'https://example.test',
    limit: { requests: 25, windowMs: 10_000 },
    clock: systemClock,
    logger: silentLogger,
    ...options,
  };
}

/** Starts a throttle of 25 in 10 s in virtual time; it is stopped at the end of the test. */
export function startThrottle(options: Partial<ThrottleOptions> = {}): StartedThrottle {
  vi.useFakeTimers();
  const throttle = createThrottle(throttleOptions(options));
  onTestFinished(async () => {
    await throttle.stop();
    vi.useRealTimers();
  });
  return {
    throttle,
    ...simulateCalls(throttle),
    pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
  };
}
