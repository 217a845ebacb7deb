/** Lets one at a time through, in the order of their coming. */
export interface Mutex {
  /** Resolves with what lets the next one through; harmless the second time. */
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
