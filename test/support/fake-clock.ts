import type { Clock } from '../../src/base/index.ts';

interface Sleeper {
  wakesAt: number;
  wake(): void;
}

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves time on, waking in order who is due; what they start gets its turn before the next. */
  advance(ms: number): Promise<void>;
  /** How many sleep at present. */
  sleeping(): number;
  /** Resolves once at least `count` sleep. */
  untilSleeping(count?: number): Promise<void>;
}

export function createFakeClock(start: number = Date.UTC(2026, 0, 5, 9)): FakeClock {
  let now = start;
  let sleepers: Sleeper[] = [];

  async function advance(ms: number): Promise<void> {
    const target = now + ms;
    for (;;) {
      await turn();
      const next = earliest(sleepers);
      if (!next || next.wakesAt > target) break;
      now = Math.max(now, next.wakesAt);
      next.wake();
    }
    now = target;
    await turn();
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (settle: () => void) => () => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const abort = leave(() => reject(signal?.reason));
      const sleeper = { wakesAt: now + Math.max(0, ms), wake: leave(resolve) };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  async function untilSleeping(count = 1): Promise<void> {
    while (sleepers.length < count) await turn();
  }

  return { now: () => now, sleep, advance, sleeping: () => sleepers.length, untilSleeping };
}

function earliest(sleepers: Sleeper[]): Sleeper | undefined {
  return sleepers.reduce<Sleeper | undefined>(
    (first, other) => (first && first.wakesAt <= other.wakesAt ? first : other),
    undefined,
  );
}

// One round of the event loop: promises settle and sockets are served meanwhile.
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
