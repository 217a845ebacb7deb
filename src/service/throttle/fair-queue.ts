import type { AdmissionRequest } from './limits.ts';

/**
 * Creates a fair queue: its queues take turns, each first in, first out; a new or returning
 * queue goes last. Each step takes constant time, however many wait. `onChange` is called whenever
 * a waiter joins, or leaves by its signal.
 */
export function createFairQueue<Request extends Pick<AdmissionRequest, 'queue' | 'signal'>, Turn>(
  onChange: () => void,
) {
  /** A waiting request: `admit` resolves its promise, `fail` rejects it. */
  type Waiter = Request & { admit(turn: Turn): void; fail(reason: unknown): void };
  // A Map keeps its insertion order: the first queue is next.
  const queues = new Map<string, Set<Waiter>>();

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

  /** Removes a waiter; returns the others in its queue. */
  function remove(waiter: Waiter): Set<Waiter> {
    const { queue = '' } = waiter;
    const left = queues.get(queue) ?? new Set();
    left.delete(waiter);
    if (left.size === 0) queues.delete(queue);
    return left;
  }

  /** Returns the next waiter without removing it. */
  function peek(): Waiter | undefined {
    const [first] = queues.values();
    return first?.values().next().value;
  }

  /** Removes and returns the next waiter; its queue goes last. */
  function next(): Waiter | undefined {
    const waiter = peek();
    if (!waiter) return undefined;
    const left = remove(waiter);
    const { queue = '' } = waiter;
    if (queues.delete(queue)) queues.set(queue, left);
    return waiter;
  }

  /** Returns the number of waiters in one queue, or in all. */
  function size(queue?: string): number {
    if (queue !== undefined) return queues.get(queue)?.size ?? 0;
    return [...queues.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  function clear(reason: unknown): void {
    for (let waiter = next(); waiter; waiter = next()) waiter.fail(reason);
  }

  return { join, peek, next, size, clear };
}
