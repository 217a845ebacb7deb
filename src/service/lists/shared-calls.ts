import { unlessAborted } from '../requests/unless-aborted.ts';

/** Who may share a call: only those for whom one that began then, of that version, is fresh enough. */
export interface Freshness {
  /** No call that began earlier, by our clock, is shared. */
  notBefore: number;
  /** Which state of what is asked for the call must have met. */
  version: number;
}

export interface SharedCall<T> {
  /** When it began, by our clock. */
  beganAt: number;
  version: number;
  /** Makes the call; the signal aborts when nobody waits for it any more. */
  run(signal: AbortSignal): Promise<T>;
}

/** Calls under way, by key: equal ones are one. */
export interface SharedCalls<T> {
  /** Joins the call under way, or begins this one. */
  join(
    key: string,
    call: SharedCall<T>,
    asker: { notBefore: number; signal: AbortSignal | undefined },
  ): Promise<T>;
  /** Resolves when a call ends that is under way and must not be shared; null when there is none. */
  unshareable(key: string, freshness: Freshness): Promise<void> | null;
}

interface Running<T> extends SharedCall<T> {
  answer: Promise<T>;
  waiting: number;
  controller: AbortController;
}

export function createSharedCalls<T>(): SharedCalls<T> {
  const running = new Map<string, Running<T>>();

  function begin(key: string, call: SharedCall<T>): Running<T> {
    const controller = new AbortController();
    const answer = call.run(controller.signal);
    const entry = { ...call, answer, waiting: 0, controller };
    running.set(key, entry);
    const forget = () => {
      if (running.get(key) === entry) running.delete(key);
    };
    answer.then(forget, forget);
    return entry;
  }

  function isShareable(entry: Running<T>, { notBefore, version }: Freshness): boolean {
    return entry.beganAt >= notBefore && entry.version === version;
  }

  return {
    join: async (key, call, { notBefore, signal }) => {
      const current = running.get(key);
      const freshness = { notBefore, version: call.version };
      const entry = current && isShareable(current, freshness) ? current : begin(key, call);
      entry.waiting += 1;
      try {
        return await unlessAborted(entry.answer, signal);
      } finally {
        entry.waiting -= 1;
        if (entry.waiting === 0) {
          if (running.get(key) === entry) running.delete(key);
          entry.controller.abort();
        }
      }
    },
    unshareable: (key, freshness) => {
      const entry = running.get(key);
      if (!entry || isShareable(entry, freshness)) return null;
      return entry.answer.then(
        () => undefined,
        () => undefined,
      );
    },
  };
}
