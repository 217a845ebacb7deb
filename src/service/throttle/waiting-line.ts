/** Who asks for a turn. */
interface TurnRequest {
  /** Queues take turns. Default: one for all who name none. */
  queue?: string | undefined;
  /** Leaves the line when it aborts; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * A line in which queues take turns; inside a queue the first come is the first served. A queue that
 * comes new, or comes back, is the last to have its turn. Who comes, leaves or is served takes constant
 * time, however many wait. `onChange` is called whenever somebody has come or left.
 */
export function createWaitingLine<Request extends TurnRequest, Turn>(onChange: () => void) {
  /** One who waits: `admit` gives them their turn, `fail` sends them away. */
  type Waiter = Request & { admit(turn: Turn): void; fail(reason: unknown): void };
  // A Map keeps the order of insertion: its first key is the queue that has its turn.
  const queues = new Map<string, Set<Waiter>>();

  /** Waits at the end of the request's queue. */
  async function join(request: Request): Promise<Turn> {
    const { signal, queue = '' } = request;
    signal?.throwIfAborted();
    const { promise, resolve: admit, reject: fail } = Promise.withResolvers<Turn>();
    const waiter = { ...request, admit, fail };
    queues.set(queue, (queues.get(queue) ?? new Set()).add(waiter));
    const abort = () => {
      remove(waiter);
      fail(signal?.reason);
      onChange();
    };
    signal?.addEventListener('abort', abort, { once: true });
    onChange();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Returns who is left in the same queue. */
  function remove(waiter: Waiter): Set<Waiter> {
    const { queue = '' } = waiter;
    const left = queues.get(queue) ?? new Set();
    left.delete(waiter);
    if (left.size === 0) queues.delete(queue);
    return left;
  }

  /** Whose turn it is, left in place. */
  function peek(): Waiter | undefined {
    const [first] = queues.values();
    return first?.values().next().value;
  }

  /** Takes out whose turn it is; the turn then goes to the next queue. */
  function next(): Waiter | undefined {
    const waiter = peek();
    if (!waiter) return undefined;
    const left = remove(waiter);
    const { queue = '' } = waiter;
    if (queues.delete(queue)) queues.set(queue, left);
    return waiter;
  }

  /** How many wait: in one queue, or in all. */
  function size(queue?: string): number {
    if (queue !== undefined) return queues.get(queue)?.size ?? 0;
    return [...queues.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Rejects all who wait. */
  function clear(reason: unknown): void {
    for (let waiter = next(); waiter; waiter = next()) waiter.fail(reason);
  }

  return { join, peek, next, size, clear };
}
