import type { Operation } from './routes.ts';

/** One request, without its headers, query and body, so that it never contains a key. */
interface RequestEntry {
  /** When it arrived, in milliseconds since the epoch. */
  at: number;
  method: string;
  path: string;
  operation: Operation;
  /** Null if no complete response was sent. */
  status: number | null;
  /** The code of an error that was reported with status 200. */
  errorCode?: number;
  /** The key's user; null if the key is unknown. */
  userId: number | null;
  /** Milliseconds from its arrival to its response. */
  ms: number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

const CAPACITY = 1000;

/** Creates the log, which keeps the last 1000 requests. */
export function createRequestLog() {
  const listeners = new Set<(entry: RequestEntry) => void>();
  const entries: RequestEntry[] = [];
  return {
    /** Oldest first. */
    list: () => [...entries],
    /** Calls the listener as each request ends. Returns a function that removes the listener. */
    onRequest: (listener: (entry: RequestEntry) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add: (entry: RequestEntry): void => {
      entries.push(entry);
      if (entries.length > CAPACITY) entries.shift();
      for (const listener of listeners) listener(entry);
    },
  };
}
