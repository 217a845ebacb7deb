/** Admits one holder at a time, in the order of their calls. */
export interface Mutex {
  /** Resolves with a function that releases the mutex; calling it twice is harmless. */
  take(): Promise<() => void>;
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();
  return {
    take: async () => {
      const before = last;
      const mine = Promise.withResolvers<void>();
      last = mine.promise;
      await before;
      return mine.resolve;
    },
  };
}
