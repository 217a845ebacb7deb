import { codeIn, createOutage } from '../../base/index.ts';
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

/** The wait before the next try after a Redis failure, in milliseconds. */
const RETRY_MS = 1000;
const REDIS_OUTAGE = {
  begins:
    'Redis, which shares the rate limit, cannot be used, and nothing is sent to the file service until it can: check REDIS_URL, and that Redis runs',
  ends: 'Redis, which shares the rate limit, is back',
};
const SERVICE_OUTAGE = {
  begins: 'The file service asks to wait (429): nothing is sent until then',
  ends: 'The file service takes calls again',
};

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Creates the throttle, which enforces the account's rate limit as a true sliding window (service
 * interface, section 8): each request takes a slot, which returns one window after its response.
 * Calls wait while Redis cannot be reached.
 */
export function createThrottle(options: ThrottleOptions) {
  const { clock, limit, logger, quietUntil } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Resolved, and replaced, whenever a call joins a line, a hold begins or ends, or at the stop.
  let change = Promise.withResolvers<void>();
  const lines = { interactive: createFairQueue(wake), bulk: createFairQueue(wake) };
  const redisOutage = options.redis && createOutage(logger, REDIS_OUTAGE);
  const serviceOutage = createOutage(logger, SERVICE_OUTAGE);
  const adaptive = createAdaptiveLimit(options, onChange, signal);
  const slots = createSlots(options, adaptive, { onError, onMessage });
  const pace = createBulkPace(slots, options, signal);
  const quietMs = Math.min((quietUntil ?? 0) - clock.now(), limit.windowMs);
  if (quietMs > 0) adaptive.hold(quietMs);
  void run('interactive');
  void run('bulk');

  function wake(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  function onError(error: unknown): void {
    if (signal.aborted) return;
    if (redisOutage) redisOutage.failed({ problem: problemOf(error) });
    else logger.error({ error }, 'No slot of the rate limit could be taken');
  }

  // Rejects waiting calls now if the hold outlasts what their lane may wait.
  function onChange(): void {
    const waitMs = (adaptive.heldUntil() ?? 0) - clock.now();
    const refused = notSent('SERVICE_RATE_LIMITED', 'the service asks to wait', waitMs);
    if (waitMs > PATIENCE_MS.interactive) lines.interactive.clear(refused);
    if (waitMs > PATIENCE_MS.bulk) lines.bulk.clear(refused);
    wake();
  }

  // The message is the hold in milliseconds and the slots after it; a hold of 0 ends the probing.
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
        redisOutage?.fine();
      } catch (error) {
        onError(error);
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  // Chooses the call only after a slot is granted: no slot is held for one call while others wait,
  // and each lane holds at most one idle slot.
  async function admitNext(lane: Lane): Promise<void> {
    const line = lines[lane];
    while (line.peek() === undefined || adaptive.heldUntil() !== null) {
      await change.promise;
      signal.throwIfAborted();
    }
    const hold = adaptive.holds();
    const isStale = () => hold !== adaptive.holds();
    const takeBack = lane === 'bulk' ? await pace() : () => undefined;
    if (isStale()) return takeBack();
    const slot = await slots.take(lane, line.peek()?.timeoutMs ?? 0);
    const end = (sent: boolean) => {
      if (!sent) takeBack();
      slot.end(sent);
    };
    const waiter = line.peek();
    const { longestMs } = slot;
    // The first call may have changed: a slot too short for it would expire during the call.
    if (isStale() || !waiter || waiter.timeoutMs > longestMs) return end(false);
    line.next();
    slot.queue = waiter.queue;
    waiter.admit({ longestMs, isStale, done: endOnce(end, isStale) });
  }

  function endOnce(end: Slot['end'], isStale: () => boolean): Admission['done'] {
    let over = false;
    return ({ sent, rateLimitedForMs }) => {
      if (over) return;
      over = true;
      end(sent);
      const all = adaptive.slots();
      // A 429 for a call from before the last hold says nothing new, so it does not halve again.
      if (rateLimitedForMs !== undefined)
        publish(`${Math.max(1, rateLimitedForMs)} ${isStale() ? all : halved(all)}`);
      else if (sent && !isStale() && adaptive.isProbing()) publish(`0 ${all}`);
    };
  }

  // Rejects a person at their limit at once, with the time until their next slot returns.
  function refuseTooMany(person: string): void {
    const [all, taken] = [adaptive.slots(), slots.taken()];
    const own = taken.filter(({ queue }) => queue === person);
    const waiting = lines.interactive.size(person);
    if (own.length + waiting < personalSlots(all, all - taken.length)) return;
    const returns = own.flatMap(({ returnsAt }) => returnsAt ?? []);
    const waitMs = Math.min(limit.windowMs, ...returns.map((at) => at - clock.now()));
    throw notSent('SERVICE_PERSON_LIMIT', 'one person has all slots that one may have', waitMs);
  }

  return {
    /**
     * Resolves when the request may be sent. Rejects with SERVICE_STOPPED; with
     * SERVICE_PERSON_LIMIT if a person is at their limit; with SERVICE_RATE_LIMITED if the service
     * asks for a longer wait than the lane's patience; or with the reason of the request's signal.
     */
    async admit(request: AdmissionRequest): Promise<Admission> {
      const { lane, queue } = request;
      signal.throwIfAborted();
      if (lane === 'interactive' && queue !== undefined) refuseTooMany(queue);
      return lines[lane].join(request);
    },
    state: () => ({
      waiting: { interactive: lines.interactive.size(), bulk: lines.bulk.size() },
      /** Slots taken by this process: their calls are in flight or ended within the last window. */
      taken: slots.taken().length,
      /** The current adaptive limit, in slots; below the account's limit after 429s. */
      allowed: adaptive.slots(),
      /** When the hold of all calls ends, by our clock; null without a hold. */
      closedUntil: adaptive.heldUntil(),
    }),
    /** Rejects while Redis is unreachable. */
    check: slots.check,
    /** Rejects waiting calls with SERVICE_STOPPED and releases timers and connections. */
    async stop(): Promise<void> {
      const reason = notSent('SERVICE_STOPPED', 'the throttle has been stopped');
      stopping.abort(reason);
      wake();
      for (const line of Object.values(lines)) line.clear(reason);
      await slots.stop();
    },
  };
}

// A failed connection to a host with several addresses has a code and no message.
function problemOf(error: unknown): string {
  return error instanceof Error ? error.message || codeIn(error) : String(error);
}

/** A waiting request: `admit` resolves its promise, `fail` rejects it. */
interface Waiter extends AdmissionRequest {
  admit(admission: Admission): void;
  fail(reason: unknown): void;
}

/**
 * Creates a fair queue: its queues take turns, each first in, first out; a new or returning
 * queue goes last. Each step takes constant time, however many wait. `onJoin` is called whenever a
 * waiter joins.
 */
export function createFairQueue(onJoin: () => void) {
  // A Map keeps its insertion order: the first queue is next.
  const queues = new Map<string, Set<Waiter>>();

  async function join(request: AdmissionRequest): Promise<Admission> {
    const { signal, queue = '' } = request;
    signal?.throwIfAborted();
    const { promise, resolve: admit, reject: fail } = Promise.withResolvers<Admission>();
    const waiter = { ...request, admit, fail };
    queues.set(queue, (queues.get(queue) ?? new Set()).add(waiter));
    const leave = () => {
      remove(waiter);
      fail(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    onJoin();
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  /** Removes a waiter, if it is still there; after its turn its queue goes last. */
  function remove(waiter: Waiter, hadTurn = false): void {
    const { queue = '' } = waiter;
    const waiters = queues.get(queue);
    if (!waiters?.delete(waiter)) return;
    if (hadTurn || waiters.size === 0) queues.delete(queue);
    if (hadTurn && waiters.size > 0) queues.set(queue, waiters);
  }

  /** Returns the next waiter without removing it. */
  function peek(): Waiter | undefined {
    const [first] = queues.values();
    return first?.values().next().value;
  }

  /** Removes and returns the next waiter; its queue goes last. */
  function next(): Waiter | undefined {
    const waiter = peek();
    if (waiter) remove(waiter, true);
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
