import { createBackgroundWork, silentLogger } from '../../src/base/index.ts';

/** A process as the parts of its worker see it: `stop` ends what they began, and waits for it. */
export function running() {
  const stop = new AbortController();
  const background = createBackgroundWork(silentLogger);
  return {
    stopping: stop.signal,
    inBackground: background.add,
    stop: async (): Promise<void> => {
      stop.abort(new Error('stopping'));
      await background.settled();
    },
  };
}
