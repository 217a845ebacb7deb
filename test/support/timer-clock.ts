import type { Clock } from '../../src/base/index.ts';

/**
 * A clock on the global timers and Date, for tests whose subject sets such timers itself: under
 * vitest's fake timers all of them move together.
 */
export const timerClock: Clock = {
  now: () => Date.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
    });
  },
};
