/** Wakes a few loops that wait for something to become true, and ends them all with `signal`. */
export function createCondition(signal: AbortSignal) {
  let next = Promise.withResolvers<void>();

  /** Something has changed: everybody who waits looks again. */
  function changed(): void {
    next.resolve();
    next = Promise.withResolvers<void>();
  }

  /** Resolves once `holds` does; rejects with the signal's reason once that has aborted. */
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
