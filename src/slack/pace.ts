import type { Clock } from '../base/index.ts';

/**
 * Resolves when the next call may go, `atLeastMs` milliseconds (default: 0) from now at the earliest, for
 * whoever comes next too. Rejects with the reason of `signal`, which ends this one wait.
 */
export type Pace = (options?: {
  atLeastMs?: number | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<void>;

/**
 * Spreads calls of one kind: each waits until `everyMs` after the one before it. Rejects with the
 * reason of `stopping` as well.
 */
export function createPace(everyMs: number, clock: Clock, stopping: AbortSignal): Pace {
  let next = 0;
  return async ({ atLeastMs = 0, signal } = {}) => {
    const ends = signal ? AbortSignal.any([stopping, signal]) : stopping;
    ends.throwIfAborted();
    const at = Math.max(next, clock.now() + atLeastMs);
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now(), ends);
  };
}
