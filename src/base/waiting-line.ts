import { createFairQueue } from './fair-queue.ts';

/** Who asks for a turn. */
export interface TurnRequest {
  /** Queues take turns. Default: one for all who name none. */
  queue?: string | undefined;
  /** Leaves the line when it aborts; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** One who waits: `admit` gives them their turn, `fail` sends them away. */
export type Waiter<Request, Turn> = Request & {
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
