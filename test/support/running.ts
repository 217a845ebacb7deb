import { createBackgroundWork, silentLogger } from '../../src/base/index.ts';

/** A process as its parts see it: `stop` ends what they began, and waits for it. */
export function running() {
  const stop = new AbortController();
  const { inBackground, settled } = createBackgroundWork(silentLogger);
  return {
    stopping: stop.signal,
    inBackground,
    stop: async (): Promise<void> => {
      stop.abort(new Error('stopping'));
      await settled();
    },
  };
}
