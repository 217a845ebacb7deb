import type { Operation } from './routes.ts';

/** One request, without its headers, query and body, so that it never contains a key. */
export interface RequestEntry {
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

/** The last 1000 requests. */
export interface RequestLog {
  add(entry: RequestEntry): void;
  /** Oldest first. */
  list(): RequestEntry[];
  /** Calls the listener as each request ends. Returns a function that removes the listener. */
  onRequest(listener: (entry: RequestEntry) => void): () => void;
}

const KEPT = 1000;

export function createRequestLog(): RequestLog {
  const listeners = new Set<(entry: RequestEntry) => void>();
  const entries: RequestEntry[] = [];
  return {
    list: () => [...entries],
    onRequest: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add: (entry) => {
      entries.push(entry);
      if (entries.length > KEPT) entries.shift();
      for (const listener of listeners) listener(entry);
    },
  };
}
