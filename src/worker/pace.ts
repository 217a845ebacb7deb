import type { Clock } from '../base/index.ts';

/**
 * Spreads calls of one kind: each waits until `everyMs` after the one before it. Rejects with the
 * signal's reason once that has aborted.
 */
export function createPace(
  everyMs: number,
  clock: Clock,
  signal: AbortSignal,
): () => Promise<void> {
  let next = 0;
  return async () => {
    signal.throwIfAborted();
    const at = Math.max(next, clock.now());
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now(), signal);
  };
}
