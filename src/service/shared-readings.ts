import { unlessAborted } from '../base/index.ts';

/** Who may share a reading, and for how long the caller waits for it. */
interface SharedRequest {
  /** Names what is read, and how. */
  key: string;
  /** Our clock, in milliseconds since the epoch. */
  now: number;
  /** A reading that began earlier, by our clock, is not shared. Default: 0. */
  notBefore?: number | undefined;
  signal?: AbortSignal | undefined;
}

interface Reading<T> {
  startedAt: number;
  result: Promise<T>;
  waiting: number;
  end(): void;
}

/** One reason for all readings: a new error each would capture a stack, which holds their lists. */
const NOT_WANTED = new Error('nobody waits for this list any more');

/** Creates a register of readings in progress, which callers who ask for the same share. */
export function createSharedReadings<T>() {
  const running = new Map<string, Reading<T>>();

  function begin(
    { key, now: startedAt }: SharedRequest,
    read: (signal: AbortSignal) => Promise<T>,
  ): Reading<T> {
    const stop = new AbortController();
    const end = (): void => {
      if (running.get(key) === reading) running.delete(key);
      stop.abort(NOT_WANTED);
    };
    const reading = { startedAt, result: read(stop.signal), waiting: 0, end };
    running.set(key, reading);
    reading.result.then(end, end);
    return reading;
  }

  return {
    /** The latest reading of that name, while it is in progress. */
    underWay: (key: string): Pick<Reading<T>, 'startedAt' | 'result'> | undefined =>
      running.get(key),
    /**
     * Joins the reading in progress if it is fresh enough; else begins one. The signal of `read`
     * aborts when no caller waits any more.
     */
    share: async (
      request: SharedRequest,
      read: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> => {
      const { key, notBefore = 0, signal } = request;
      const current = running.get(key);
      const isShared = current !== undefined && current.startedAt >= notBefore;
      const reading = isShared ? current : begin(request, read);
      reading.waiting += 1;
      try {
        return await unlessAborted(reading.result, signal);
      } finally {
        reading.waiting -= 1;
        if (reading.waiting === 0) reading.end();
      }
    },
  };
}
