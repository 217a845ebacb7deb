import { createBackgroundWork, silentLogger, systemClock } from '../../src/base/index.ts';
import { createShutdown } from '../../src/shutdown.ts';

/** A process as its parts see it: `stop` ends what they began, and waits for it. */
export function running() {
  const shutdown = createShutdown({ clock: systemClock, logger: silentLogger });
  const { inBackground, settled } = createBackgroundWork(silentLogger);
  return {
    stopping: shutdown.signal,
    inBackground,
    stop: async (): Promise<void> => {
      await shutdown.close();
      await settled();
    },
  };
}
