import type { Logger } from './logger.ts';

/** Work that nobody waits for, but that a stop should let end. */
export interface Backgrounds {
  add(work: Promise<unknown>): void;
  /** Resolves when all that was added has ended. */
  settled(): Promise<void>;
}

export function createBackgrounds(logger: Logger): Backgrounds {
  const running = new Set<Promise<unknown>>();
  return {
    add: (work) => {
      const quiet: Promise<unknown> = work
        .catch((error: unknown) => logger.warn({ error }, 'Something in the background failed'))
        .finally(() => running.delete(quiet));
      running.add(quiet);
    },
    settled: async () => {
      await Promise.all(running);
    },
  };
}
