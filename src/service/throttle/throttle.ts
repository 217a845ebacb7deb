import { createOutage, messageOf } from '../../base/index.ts';
import { notSent, type ServiceError } from '../errors.ts';
import {
  type Admission,
  type AdmissionRequest,
  createAdaptiveLimit,
  type Lane,
  PATIENCE_MS,
  personalSlots,
  type ThrottleOptions,
} from './limits.ts';
import { holdRightToSend } from './right-to-send.ts';
import { createSlots } from './slots.ts';

/** The wait before the next try after a Redis failure, in milliseconds. */
const RETRY_MS = 1000;
/** The queue of the bulk lane for what people ask beyond their shares, and the most that wait in it. */
const BEYOND_SHARES = 'people';
const MOST_BEYOND_SHARES = 100;
const REDIS_OUTAGE = {
  begins:
    'Redis, which shares the rate limit, cannot be used, and nothing is sent to the file service until it can: check REDIS_URL, and that Redis runs',
  ends: 'Redis, which shares the rate limit, is back',
};

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Creates the throttle, which keeps the account's rate limit in any window (service interface,
 * section 8). Calls wait while Redis cannot be reached.
 */
export function createThrottle(options: ThrottleOptions) {
  const { clock, limit, logger, onHeld } = options;
  const startsAt = Math.min(options.quietUntil ?? 0, clock.now() + limit.windowMs);
  let wasHeld = false;
  const stopping = new AbortController();
  const { signal } = stopping;
  const queues = { interactive: createFairQueue(), bulk: createFairQueue() };
  const serving = new Set<Lane>();
  const redisOutage = options.redis && createOutage(logger, { ...REDIS_OUTAGE, onChange: onHeld });
  const adaptive = createAdaptiveLimit(options, onChange, signal);
  const slots = createSlots(options, adaptive, onError);
  adaptive.hold(startsAt - clock.now());
  const right =
    options.right &&
    holdRightToSend({
      ...{ ...options.right, windowMs: limit.windowMs, clock, logger },
      isSending: () => slots.taken().some(({ returnsAt }) => returnsAt === undefined),
      onChange: onRightChange,
    });
  const maySend = () => right?.isHeld() ?? true;

  // Who waits is refused at once: another process may serve them.
  function onRightChange(): void {
    for (const lane of ['interactive', 'bulk'] as const) {
      if (!maySend()) queues[lane].clear(notHere());
      void serve(lane);
    }
  }

  function onError(error: unknown): void {
    if (signal.aborted) return;
    if (redisOutage) redisOutage.failed({ problem: messageOf(error) });
    else logger.error({ error }, 'No slot of the rate limit could be taken');
  }

  // Rejects waiting calls now if the hold outlasts what their lane may wait.
  function onChange(): void {
    const isHeld = adaptive.heldUntil() !== null;
    if (isHeld !== wasHeld) onHeld?.();
    wasHeld = isHeld;
    const waitMs = (adaptive.heldUntil() ?? 0) - clock.now();
    const refused = notSent('SERVICE_RATE_LIMITED', 'the service asks to wait', waitMs);
    for (const lane of ['interactive', 'bulk'] as const) {
      if (waitMs > PATIENCE_MS[lane]) queues[lane].clear(refused);
      void serve(lane);
    }
  }

  // Admits the calls of a lane one by one, until none waits or a hold begins.
  async function serve(lane: Lane): Promise<void> {
    if (serving.has(lane)) return;
    serving.add(lane);
    while (queues[lane].peek() && adaptive.heldUntil() === null && maySend() && !signal.aborted)
      await admitNext(lane).then(redisOutage?.fine, (error) => {
        onError(error);
        return clock.sleep(RETRY_MS, signal).catch(() => {});
      });
    serving.delete(lane);
  }

  // Chooses the call only when there is a slot, so that none is held for a call while others wait.
  async function admitNext(lane: Lane): Promise<void> {
    const queue = queues[lane];
    const slot = await slots.take(lane, queue.peek()?.timeoutMs ?? 0);
    const waiter = queue.peek();
    // The first call may be another by now: a slot too short for it would expire during it.
    const isStale = () => slot.isStale() || !maySend();
    if (isStale() || !waiter || waiter.timeoutMs > slot.longestMs)
      return slot.done({ sent: false });
    queue.next();
    slot.queue = waiter.queue;
    waiter.resolve({ ...slot, isStale });
  }

  return {
    /**
     * Returns the request in the lane where it is to wait: beyond a person's share of the slots,
     * their calls take turns with the filing. Throws SERVICE_RATE_LIMITED if too many do already.
     */
    placed(request: AdmissionRequest): AdmissionRequest {
      const { lane, queue: person } = request;
      if (lane === 'bulk' || person === undefined) return request;
      const [all, taken] = [adaptive.slots(), slots.taken()];
      const own = taken.filter(({ queue }) => queue === person).length;
      const asked = own + queues.interactive.size(person);
      if (asked < personalSlots(all, all - taken.length)) return request;
      if (queues.bulk.size(BEYOND_SHARES) >= MOST_BEYOND_SHARES)
        throw notSent('SERVICE_RATE_LIMITED', 'people have asked for too much', limit.windowMs);
      return { ...request, lane: 'bulk', queue: BEYOND_SHARES };
    },
    /**
     * Resolves when the request may be sent. Rejects with SERVICE_RATE_LIMITED if a hold begins
     * that outlasts the lane's patience, with SERVICE_LIMIT_AWAY while another process sends, with
     * SERVICE_STOPPED, or with the reason of the request's signal.
     */
    async admit(request: AdmissionRequest): Promise<Admission> {
      const { lane } = request;
      signal.throwIfAborted();
      if (!maySend()) throw notHere();
      const admission = queues[lane].join(request);
      void serve(lane);
      return admission;
    },
    /** Whether this process may send requests, rather than another that shares its database. */
    maySend,
    /** Whether it stands by while another does. */
    standsBy: () => right?.isElsewhere() ?? false,
    /** Whether bulk calls, such as those that file, wait. */
    isBusy: () => queues.bulk.size() > 0,
    state: () => ({
      waiting: { interactive: queues.interactive.size(), bulk: queues.bulk.size() },
      /** Slots taken by this process: their calls are in flight or ended within the last window. */
      taken: slots.taken().length,
      /** The current adaptive limit, in slots; below the account's limit after 429s. */
      allowed: adaptive.slots(),
      /** When the hold of all calls ends, by our clock; null without a hold. */
      heldUntil: adaptive.heldUntil(),
      /** Whether that is only because a process before this one may have sent requests. */
      isStarting: clock.now() < startsAt,
      /** Whether calls wait because Redis, which shares the limit, cannot be used. */
      isRedisAway: redisOutage?.lasts() ?? false,
    }),
    /** Rejects while Redis cannot be reached, or takes no write. */
    check: slots.check,
    /** Rejects waiting calls with SERVICE_STOPPED and releases timers and connections. */
    async stop(): Promise<void> {
      const reason = notSent('SERVICE_STOPPED', 'the throttle has been stopped');
      stopping.abort(reason);
      for (const queue of Object.values(queues)) queue.clear(reason);
      await slots.stop();
      await right?.stop();
    },
  };
}

function notHere(): ServiceError {
  return notSent('SERVICE_LIMIT_AWAY', 'another process sends the requests');
}

type Waiter = AdmissionRequest & PromiseWithResolvers<Admission>;

/**
 * Creates a fair queue: its queues take turns, each first in, first out; a new or returning queue
 * goes last. Each step takes constant time, however many wait.
 */
export function createFairQueue() {
  // A Map keeps its insertion order: the first queue is next.
  const queues = new Map<string, Set<Waiter>>();

  async function join(request: AdmissionRequest): Promise<Admission> {
    const { signal, queue = '' } = request;
    signal?.throwIfAborted();
    const waiter = { ...request, ...Promise.withResolvers<Admission>() };
    queues.set(queue, (queues.get(queue) ?? new Set()).add(waiter));
    const leave = () => {
      remove(waiter);
      waiter.reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave);
    return waiter.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  // After a turn of one of its waiters a queue goes last.
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
    for (let waiter = next(); waiter; waiter = next()) waiter.reject(reason);
  }

  return { join, peek, next, size, clear };
}
