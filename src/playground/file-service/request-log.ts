import type { Operation } from './operation.ts';

/** One request, without its headers, query and body: no key is ever in here. */
export interface RequestEntry {
  /** Its arrival, in milliseconds since the epoch. */
  at: number;
  method: string;
  path: string;
  operation: Operation;
  /** Null when no whole answer was sent. */
  status: number | null;
  /** Of an error that was told inside a success. */
  errorCode?: number;
  /** The key's user; null when the key is not known. */
  userId: number | null;
  /** From its arrival to its answer. */
  ms: number;
}

/** The last 1000 requests. */
export interface RequestLog {
  /** Oldest first. */
  list(): RequestEntry[];
  /** Told of each request as its answer leaves. Returns what ends it. */
  onRequest(listener: (entry: RequestEntry) => void): () => void;
}

const KEPT = 1000;

/** The log, and what writes to it. */
export function createRequestLog(): RequestLog & { add(entry: RequestEntry): void } {
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
