import { createOutage } from '../../base/index.ts';
import { notSent } from '../errors.ts';
import {
  type Admission,
  type AdmissionRequest,
  createAdaptiveLimit,
  createBulkPace,
  halved,
  type Lane,
  PATIENCE_MS,
  personalSlots,
  type ThrottleOptions,
} from './limits.ts';
import { createSlots, type Slot } from './slots.ts';

/** Before Redis is asked again. */
const RETRY_MS = 1000;
const REDIS_OUTAGE = {
  begins: 'Redis, which shares the rate limit, cannot be reached: calls wait until it is back',
  ends: 'Redis, which shares the rate limit, is back',
};
const SERVICE_OUTAGE = {
  begins: 'The file service asks to wait (429): nothing is sent until then',
  ends: 'The file service takes calls again',
};

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * The account's rate limit, kept as a true sliding window (service interface, section 8): a slot is
 * taken before a request is sent and comes back one window after its answer. While Redis cannot be reached
 * nothing is admitted: calls wait.
 */
export function createThrottle(options: ThrottleOptions) {
  const { clock, limit, logger, quietUntil } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // That somebody has come or left, or that a hold has begun or ended.
  let change = Promise.withResolvers<void>();
  const createLine = () => createWaitingLine<AdmissionRequest, Admission>(wake);
  const lines = { interactive: createLine(), bulk: createLine() };
  const redisOutage = createOutage(logger, REDIS_OUTAGE);
  const serviceOutage = createOutage(logger, SERVICE_OUTAGE);
  const adaptive = createAdaptiveLimit(options, onChange, signal);
  const slots = createSlots(options, adaptive, { onError, onMessage });
  const pace = createBulkPace(slots, options, signal);
  const quietMs = (quietUntil ?? 0) - clock.now();
  if (quietMs > 0) adaptive.hold(quietMs);
  signal.addEventListener('abort', wake, { once: true });
  void run('interactive');
  void run('bulk');

  function wake(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  function onError(error: unknown): void {
    if (!signal.aborted) redisOutage.failed({ error });
  }

  // Who would have to wait beyond the lane's patience is told so instead.
  function onChange(): void {
    const waitMs = (adaptive.heldUntil() ?? 0) - clock.now();
    const refused = notSent('SERVICE_RATE_LIMITED', 'the service asks to wait', waitMs);
    if (waitMs > PATIENCE_MS.interactive) lines.interactive.clear(refused);
    if (waitMs > PATIENCE_MS.bulk) lines.bulk.clear(refused);
    wake();
  }

  // For how long nobody sends, and how many slots there are then; or, after no time, that all is well.
  function onMessage(message: string): void {
    const [forMs = 0, to = limit.requests] = message.split(' ').map(Number);
    if (forMs > 0) {
      adaptive.hold(forMs, to);
      serviceOutage.failed({ until: new Date(adaptive.heldUntil() ?? clock.now()).toISOString() });
    } else {
      adaptive.free();
      serviceOutage.fine();
    }
  }

  function publish(message: string): void {
    onMessage(message);
    if (options.redis) slots.publish(message).catch(onError);
  }

  async function run(lane: Lane): Promise<void> {
    while (!signal.aborted) {
      try {
        await admitNext(lane);
        redisOutage.fine();
      } catch (error) {
        onError(error);
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  // Which call it is is decided when its slot has been granted: nobody's slot is held while others
  // wait, and at most one slot a lane is ever held idle.
  async function admitNext(lane: Lane): Promise<void> {
    const line = lines[lane];
    while (line.peek() === undefined || adaptive.heldUntil() !== null) {
      await change.promise;
      signal.throwIfAborted();
    }
    if (lane === 'bulk') await pace();
    const timeoutMs = line.peek()?.timeoutMs ?? 0;
    const hold = adaptive.holds();
    const isStale = () => hold !== adaptive.holds();
    const slot = await slots.take(lane, timeoutMs);
    const waiter = line.peek();
    const { longestMs } = slot;
    // A slot that lasts too short for whose turn it has become would be lost under its call.
    if (isStale() || !waiter || waiter.timeoutMs > longestMs) return slot.end(false);
    line.next();
    slot.queue = waiter.queue;
    waiter.admit({ longestMs, isStale, done: endOnce(slot, isStale) });
  }

  function endOnce(slot: Slot, isStale: () => boolean): Admission['done'] {
    let over = false;
    return ({ sent, rateLimitedForMs }) => {
      if (over) return;
      over = true;
      slot.end(sent);
      const all = adaptive.slots();
      // A call that was sent before the last hold says nothing new.
      if (rateLimitedForMs !== undefined)
        publish(`${Math.max(1, rateLimitedForMs)} ${isStale() ? all : halved(all)}`);
      else if (sent && !isStale() && adaptive.isProbing()) publish(`0 ${all}`);
    };
  }

  // A person who has as many as one may have is told at once when the next comes back.
  function refuseTooMany(person: string): void {
    const [all, taken] = [adaptive.slots(), slots.taken()];
    const own = taken.filter(({ queue }) => queue === person);
    const waiting = lines.interactive.size(person);
    if (own.length + waiting < personalSlots(all, all - taken.length)) return;
    const returns = own.flatMap(({ returnsAt }) => returnsAt ?? []);
    const waitMs = Math.min(limit.windowMs, ...returns.map((at) => at - clock.now()));
    throw notSent('SERVICE_SHARE_USED', 'one person has all slots that one may have', waitMs);
  }

  return {
    /**
     * Resolves when the request may be sent; rejects with SERVICE_STOPPED, with SERVICE_SHARE_USED where a
     * person has asked for too much, with SERVICE_RATE_LIMITED when the service asks for more patience than
     * the lane has, or with the reason of the request's signal.
     */
    async admit(request: AdmissionRequest): Promise<Admission> {
      const { lane, queue } = request;
      signal.throwIfAborted();
      if (lane === 'interactive' && queue !== undefined) refuseTooMany(queue);
      return lines[lane].join(request);
    },
    state: () => ({
      waiting: { interactive: lines.interactive.size(), bulk: lines.bulk.size() },
      /** Slots that this process has taken: their calls are in flight, or within their window. */
      taken: slots.taken().length,
      /** Slots that are used at present; under the limit after answers of 429. */
      allowed: adaptive.slots(),
      /** Until when a 429 holds everybody back, by our clock; null when nobody is held back. */
      closedUntil: adaptive.heldUntil(),
    }),
    /** Rejects while Redis cannot be asked. */
    check: slots.check,
    /** Rejects all who wait with SERVICE_STOPPED and lets go of timers and connections. */
    async stop(): Promise<void> {
      const reason = notSent('SERVICE_STOPPED', 'the throttle has been stopped');
      stopping.abort(reason);
      for (const line of Object.values(lines)) line.clear(reason);
      await slots.stop();
    },
  };
}

/**
 * A line in which queues take turns, first come first served inside each; one that comes, or comes back,
 * is the last to have its turn. All takes constant time, however many wait. `onChange` is called whenever
 * somebody has come or left.
 */
export function createWaitingLine<Request extends Pick<AdmissionRequest, 'queue' | 'signal'>, Turn>(
  onChange: () => void,
) {
  /** One who waits: `admit` gives them their turn, `fail` sends them away. */
  type Waiter = Request & { admit(turn: Turn): void; fail(reason: unknown): void };
  // A Map keeps the order of insertion: its first key is the queue that has its turn.
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

  /** Takes out whose turn it is; the next is another queue's. */
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

  function clear(reason: unknown): void {
    for (let waiter = next(); waiter; waiter = next()) waiter.fail(reason);
  }

  return { join, peek, next, size, clear };
}
