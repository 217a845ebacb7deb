/** Who asks for a turn. */
export interface TurnRequest {
  /** Queues take turns. Default: one for all who name none. */
  queue?: string | undefined;
  /** Leaves the line when it aborts; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** One who waits: `admit` gives them their turn, `fail` sends them away. */
type Waiter<Request, Turn> = Request & {
  admit(turn: Turn): void;
  fail(reason: unknown): void;
};

export type WaitingLine<Request extends TurnRequest, Turn> = ReturnType<
  typeof createWaitingLine<Request, Turn>
>;

/** A line in which queues take turns. `onChange` is called whenever somebody has come or left. */
export function createWaitingLine<Request extends TurnRequest, Turn>(onChange: () => void) {
  const { add, peek, next, size } = createFairQueue<Waiter<Request, Turn>>();

  /** Waits at the end of the request's queue. */
  async function join(request: Request): Promise<Turn> {
    const { signal, queue = '' } = request;
    signal?.throwIfAborted();
    const { promise, resolve: admit, reject: fail } = Promise.withResolvers<Turn>();
    const leave = add(queue, { ...request, admit, fail });
    const abort = () => {
      leave();
      fail(signal?.reason);
      onChange();
    };
    signal?.addEventListener('abort', abort, { once: true });
    onChange();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Rejects all who wait. */
  function clear(reason: unknown): void {
    for (let waiter = next(); waiter; waiter = next()) waiter.fail(reason);
  }

  return { join, peek, next, size, clear };
}

export type FairQueue<T> = ReturnType<typeof createFairQueue<T>>;

/**
 * Queues take turns, and inside a queue the first come is the first served. A queue that comes new, or
 * comes back, is the last to have its turn. Every step takes constant time however many wait.
 */
export function createFairQueue<T>() {
  // A Map keeps the order of insertion: its first key is the queue that has its turn.
  const queues = new Map<string, Set<{ item: T }>>();
  let size = 0;

  function remove(queue: string, entry: { item: T }): void {
    const entries = queues.get(queue);
    if (!entries?.delete(entry)) return;
    if (entries.size === 0) queues.delete(queue);
    size -= 1;
  }

  function first() {
    const [turn] = queues;
    const [entry] = turn?.[1] ?? [];
    return turn && entry ? { queue: turn[0], entries: turn[1], entry } : undefined;
  }

  return {
    /** Puts `item` at the end of its queue; what it returns takes it out again (harmless when it has left). */
    add(queue: string, item: T): () => void {
      const entry = { item };
      const entries = queues.get(queue) ?? new Set();
      queues.set(queue, entries.add(entry));
      size += 1;
      return () => remove(queue, entry);
    },
    /** Whose turn it is, left in place. */
    peek: () => first()?.entry.item,
    /** Takes out whose turn it is; the turn then goes to the next queue. */
    next(): T | undefined {
      const turn = first();
      if (!turn) return undefined;
      const { queue, entries, entry } = turn;
      queues.delete(queue);
      queues.set(queue, entries);
      remove(queue, entry);
      return entry.item;
    },
    /** How many wait: in one queue, or in all. */
    size: (queue?: string) => (queue === undefined ? size : (queues.get(queue)?.size ?? 0)),
  };
}
