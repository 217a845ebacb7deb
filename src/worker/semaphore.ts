/** Lets so many run at a time; the others wait in line. */
export interface Semaphore {
  run<T>(job: () => Promise<T>): Promise<T>;
}

export function createSemaphore(places: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = places;
  const enter = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    run: async (job) => {
      await enter();
      try {
        return await job();
      } finally {
        leave();
      }
    },
  };
}
