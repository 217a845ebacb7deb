import type { Clock } from '../base/index.ts';

export interface PaceOptions {
  /** The wait is no shorter than this, in milliseconds, for whoever comes next too; 0 by default. */
  atLeastMs?: number | undefined;
  /** Ends this one wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Spreads calls of one kind: each waits until `everyMs` after the one before it. Rejects with the
 * reason of the signal that has aborted: `stopping`, or the call's own.
 */
export function createPace(
  everyMs: number,
  clock: Clock,
  stopping: AbortSignal,
): (options?: PaceOptions) => Promise<void> {
  let next = 0;
  return async ({ atLeastMs = 0, signal } = {}) => {
    const ends = signal ? AbortSignal.any([stopping, signal]) : stopping;
    ends.throwIfAborted();
    const at = Math.max(next, clock.now() + atLeastMs);
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now(), ends);
  };
}
