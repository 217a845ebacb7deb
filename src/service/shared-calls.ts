import { unlessAborted } from '../base/index.ts';

/** Who may share a call: only those for whom one that began then, of that version, is fresh enough. */
export interface Freshness {
  /** No call that began earlier, by our clock, is shared. */
  notBefore: number;
  /** Which state of what is asked for the call must have met. */
  version: number;
}

export interface Call<T> {
  /** When it began, by our clock. */
  beganAt: number;
  version: number;
  /** Makes the call; the signal aborts when nobody waits for it any more. */
  run(signal: AbortSignal): Promise<T>;
}

export interface RunningCall<T> extends Call<T> {
  answer: Promise<T>;
}

/** Calls under way, by key: equal ones are one. */
export interface SharedCalls<T> {
  /** Joins the call under way that is fresh enough for this one, or begins this one. */
  join(
    key: string,
    call: Call<T>,
    asker?: { notBefore: number; signal: AbortSignal | undefined },
  ): Promise<T>;
  /** The call with that key that began last, while it is under way. */
  underWay(key: string): RunningCall<T> | undefined;
}

export function isFresh(call: Call<unknown>, { notBefore, version }: Freshness): boolean {
  return call.beganAt >= notBefore && call.version === version;
}

export function createSharedCalls<T>(): SharedCalls<T> {
  const running = new Map<string, RunningCall<T> & { waiting: number; stop: AbortController }>();

  function forget(key: string, call: RunningCall<T>): void {
    if (running.get(key) === call) running.delete(key);
  }

  function begin(key: string, call: Call<T>) {
    const stop = new AbortController();
    const begun = { ...call, answer: call.run(stop.signal), waiting: 0, stop };
    running.set(key, begun);
    const ended = () => forget(key, begun);
    begun.answer.then(ended, ended);
    return begun;
  }

  return {
    join: async (key, call, { notBefore, signal } = { notBefore: 0, signal: undefined }) => {
      const current = running.get(key);
      const isShared = current && isFresh(current, { notBefore, version: call.version });
      const shared = isShared ? current : begin(key, call);
      shared.waiting += 1;
      try {
        return await unlessAborted(shared.answer, signal);
      } finally {
        shared.waiting -= 1;
        if (shared.waiting === 0) {
          forget(key, shared);
          shared.stop.abort();
        }
      }
    },
    underWay: (key) => running.get(key),
  };
}
