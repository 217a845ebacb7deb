import type { Clock } from '../../src/base/index.ts';

/** The life of a modelled process: what it awaits resolves only while it lives and runs. */
export interface ProcessLife {
  /** Stops everything in it for good. */
  crash(): void;
  /** Suspends it until `thaw`, as if the machine had stopped it. */
  freeze(): void;
  thaw(): void;
  /** Resolves at once, once the process is resumed, or never. */
  turn(): Promise<void>;
  /** The clock of the process: its sleeps end only while it runs. */
  clock: Clock;
}

export function createProcessLife(clock: Clock): ProcessLife {
  let dead = false;
  let running = Promise.withResolvers<void>();
  running.resolve();
  const turn = async (): Promise<void> => {
    await running.promise;
    if (dead) await new Promise(() => undefined);
  };
  return {
    crash: () => {
      dead = true;
    },
    freeze: () => {
      running = Promise.withResolvers();
    },
    thaw: () => running.resolve(),
    turn,
    clock: {
      now: clock.now,
      wall: clock.wall,
      sleep: async (ms, signal) => {
        try {
          await clock.sleep(ms, signal);
        } finally {
          await turn();
        }
      },
    },
  };
}
