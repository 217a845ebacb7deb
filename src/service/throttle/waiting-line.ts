import { createLaneQueue } from './lane-queue.ts';
import type { Admission, AdmissionRequest } from './throttle.ts';

/** A call that waits to be admitted. */
export interface Waiter {
  timeoutMs: number;
  admit(admission: Admission): void;
}

/** The calls of one lane that wait; each leaves when its signal aborts. */
export interface WaitingLine {
  /** Waits at the end of the request's queue. Rejects with the signal's reason, or as closed. */
  join(request: AdmissionRequest): Promise<Admission>;
  /** Whose turn it is, left in place. */
  peek(): Waiter | undefined;
  /** Takes out whose turn it is. */
  next(): Waiter | undefined;
  size(): number;
  /** Rejects all who wait with `reason`. */
  clear(reason: Error): void;
}

interface Entry extends Waiter {
  fail(reason: unknown): void;
}

/** An empty line. `onChange` is called whenever somebody has come or left. */
export function createWaitingLine(onChange: () => void): WaitingLine {
  const queue = createLaneQueue<Entry>();

  async function join(request: AdmissionRequest): Promise<Admission> {
    const { signal, timeoutMs } = request;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Admission>();
    const leave = queue.add(request.queue ?? '', { timeoutMs, admit: resolve, fail: reject });
    const abort = () => {
      leave();
      reject(signal?.reason);
      onChange();
    };
    signal?.addEventListener('abort', abort, { once: true });
    onChange();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  function clear(reason: Error): void {
    for (let entry = queue.next(); entry; entry = queue.next()) entry.fail(reason);
  }

  return { join, peek: queue.peek, next: queue.next, size: queue.size, clear };
}
