/** Who waits: queues take turns, and inside a queue the first come is the first served. */
export interface FairQueue<T> {
  /** Puts `item` at the end of its queue; what it returns takes it out again (harmless when it has left). */
  add(queue: string, item: T): () => void;
  /** Whose turn it is, left in place. */
  peek(): T | undefined;
  /** Takes out whose turn it is; the turn then goes to the next queue. */
  next(): T | undefined;
  /** How many wait: in one queue, or in all. */
  size(queue?: string): number;
}

/**
 * Nobody waits. A queue that comes new, or comes back, is the last to have its turn. Every step
 * takes constant time however many wait.
 */
export function createFairQueue<T>(): FairQueue<T> {
  // A Map keeps the order of insertion: its first key is the queue that has its turn.
  const queues = new Map<string, Set<{ item: T }>>();
  let size = 0;

  function remove(queue: string, entry: { item: T }): boolean {
    const entries = queues.get(queue);
    if (!entries?.delete(entry)) return false;
    if (entries.size === 0) queues.delete(queue);
    size -= 1;
    return true;
  }

  function first(): { queue: string; entry: { item: T } } | undefined {
    for (const [queue, entries] of queues) {
      for (const entry of entries) return { queue, entry };
    }
    return undefined;
  }

  function passTurn(queue: string): void {
    const entries = queues.get(queue);
    if (!entries) return;
    queues.delete(queue);
    queues.set(queue, entries);
  }

  return {
    add(queue, item) {
      const entry = { item };
      const entries = queues.get(queue) ?? new Set();
      queues.set(queue, entries.add(entry));
      size += 1;
      return () => void remove(queue, entry);
    },
    peek: () => first()?.entry.item,
    next() {
      const turn = first();
      if (!turn) return undefined;
      remove(turn.queue, turn.entry);
      passTurn(turn.queue);
      return turn.entry.item;
    },
    size: (queue) => (queue === undefined ? size : (queues.get(queue)?.size ?? 0)),
  };
}
