import { type Clock, systemClock } from '../../src/base/index.ts';

/** The machine's clock, which a test can move on; sleepers that are then due wake at once. */
export interface MovableClock extends Clock {
  skip(ms: number): void;
  /** Returns how long each current sleeper asked to sleep, in milliseconds. */
  sleeping(): number[];
}

export function createMovableClock(): MovableClock {
  const sleepers = new Set<{ ms: number }>();
  let ahead = 0;
  let moved = new AbortController();
  const now = () => systemClock.now() + ahead;

  /** Resolves after `ms`, or earlier if the test moves time on. */
  async function doze(ms: number, signal?: AbortSignal): Promise<void> {
    const either = signal ? AbortSignal.any([signal, moved.signal]) : moved.signal;
    await systemClock.sleep(ms, either).catch(() => signal?.throwIfAborted());
  }

  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const sleeper = { ms };
    sleepers.add(sleeper);
    const due = now() + ms;
    try {
      do await doze(due - now(), signal);
      while (now() < due);
    } finally {
      sleepers.delete(sleeper);
    }
  }

  function skip(ms: number): void {
    const before = moved;
    ahead += ms;
    moved = new AbortController();
    before.abort();
  }

  return { now, sleep, skip, sleeping: () => [...sleepers].map(({ ms }) => ms) };
}
