/** Wakes whoever waits for something to become true. */
export interface Condition {
  /** Something has changed: everybody who waits looks again. */
  changed(): void;
  /** Resolves once `holds` does; rejects with the signal's reason once that has aborted. */
  until(holds: () => boolean): Promise<void>;
}

/** A condition for a few waiting loops, which all end with `signal`. */
export function createCondition(signal: AbortSignal): Condition {
  let next = Promise.withResolvers<void>();

  function changed(): void {
    next.resolve();
    next = Promise.withResolvers<void>();
  }

  async function until(holds: () => boolean): Promise<void> {
    signal.throwIfAborted();
    while (!holds()) {
      await next.promise;
      signal.throwIfAborted();
    }
  }

  signal.addEventListener('abort', changed, { once: true });
  return { changed, until };
}
