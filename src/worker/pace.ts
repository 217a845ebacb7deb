import type { Clock } from '../base/index.ts';

/** Spreads calls of one kind: each waits until `everyMs` after the one before it. */
export function createPace(everyMs: number, clock: Clock): () => Promise<void> {
  let next = 0;
  return async () => {
    const at = Math.max(next, clock.now());
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now());
  };
}
