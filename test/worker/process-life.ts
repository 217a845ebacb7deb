import type { Clock } from '../../src/base/index.ts';

/** The life of a modelled process: whatever it waits for comes to it only while it lives and runs. */
export interface ProcessLife {
  /** From now on nothing happens in it any more. */
  crash(): void;
  /** Nothing happens in it until it is resumed, as if the machine had stopped it. */
  freeze(): void;
  thaw(): void;
  /** Resolves at once, later, or never. */
  turn(): Promise<void>;
  /** The clock as the process sees it: its sleeps end when it runs again. */
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
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal).finally(turn);
      },
    },
  };
}
