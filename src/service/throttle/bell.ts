/** Wakes who waits for something to become true. */
export interface Bell {
  /** Something has changed: everybody looks again. */
  ring(): void;
  /** Resolves once `condition` holds; rejects with the signal's reason once that has aborted. */
  until(condition: () => boolean): Promise<void>;
}

/** A bell for a few waiting loops that all end with `signal`. */
export function createBell(signal: AbortSignal): Bell {
  let rung = Promise.withResolvers<void>();

  function ring(): void {
    rung.resolve();
    rung = Promise.withResolvers<void>();
  }

  async function until(condition: () => boolean): Promise<void> {
    signal.throwIfAborted();
    while (!condition()) {
      await rung.promise;
      signal.throwIfAborted();
    }
  }

  signal.addEventListener('abort', ring, { once: true });
  return { ring, until };
}
