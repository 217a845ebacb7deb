import { type Clock, type Deadline, type Random, startDeadline } from '../base/index.ts';
import type { Answer, Operation } from './answer.ts';
import { isRateLimited, notSent, ServiceError } from './errors.ts';
import type { OutgoingRequest, SendRequest } from './http.ts';
import { retryDelay } from './retry-delay.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Outcome,
  PATIENCE_MS,
} from './throttle/limits.ts';
import type { Throttle } from './throttle/throttle.ts';

export interface CallOptions extends Omit<AdmissionRequest, 'timeoutMs'> {
  /** A slot that the caller holds; the first request of an upload or a create uses it. */
  slot?: BulkSlot | undefined;
  /** Awaited before each request, to limit a caller to less than its lane's share of the window. */
  turn?: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

/** A slot of the bulk lane that is reserved before it is known which request will use it. */
export interface BulkSlot {
  /**
   * Returns the throttle's promise to the first caller, and null to later ones. If the slot would
   * expire before `timeoutMs`, or has waited for its use, gives it back and returns null.
   */
  take(timeoutMs: number): Promise<Admission> | null;
  /** Returns the slot to the throttle unless it was taken. */
  giveBack(): void;
}

/** The dependencies of every call to the service. */
export interface CallContext {
  throttle: Throttle;
  clock: Clock;
  send: SendRequest;
  random: Random;
  /** The request timeout, and the idle timeout of an upload, in milliseconds. */
  requestTimeoutMs: number;
}

interface Call {
  operation: Operation;
  /** The body, still to be serialised. */
  json?: object;
  options: CallOptions;
}

/** The request timeout while a person waits, in milliseconds. */
const INTERACTIVE_TIMEOUT_MS = 10_000;
/** The longest that a request is on its way to the service, in milliseconds, also if it was aborted. */
const LATEST_ARRIVAL_MS = 10_000;

/** Names what delays a call; only callers equal in all of it share one reading of a list. */
export function laneName({ lane, turn }: CallOptions): string {
  return `${lane}${turn ? ', in turns' : ''}`;
}

/** Sends one request once the throttle admits it; resolves with what `read` returns. */
export async function callOnce<T>(
  context: CallContext,
  { operation, json, options }: Call,
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  const { turn, signal, lane } = options;
  if (turn) await turn(signal);
  const patience = lane === 'interactive' ? INTERACTIVE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
  const timeoutMs = Math.min(patience, context.requestTimeoutMs);
  const body = json && JSON.stringify(json);
  return withSlot(context, { operation, options, timeoutMs }, async ({ send }) =>
    read(await send({ body })),
  );
}

/** Like callOnce, with retries. */
export function callWithRetries<T>(
  context: CallContext,
  call: Call,
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  return withRetries(context, call, () => callOnce(context, call, read));
}

/**
 * Retries `attempt` while it rejects with a ServiceError that retryDelay allows a retry for; an
 * operation that is not repeatable only if it was never sent.
 */
export async function withRetries<T>(
  { clock, random }: Pick<CallContext, 'clock' | 'random'>,
  { operation: { repeatable }, options: { lane, signal } }: Call,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.now();
  const earlier: ServiceError[] = [];
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!repeatable && error.sent !== 'no') throw error;
      const history = { lane, elapsedMs: clock.now() - startedAt, earlier };
      const delay = retryDelay(history, error, random.fraction());
      if (delay === null) throw error;
      earlier.push(error);
      await clock.sleep(delay, signal);
    }
  }
}

/**
 * Waits for the throttle to admit the request: for a person, up to the patience of the lane where it
 * is placed; else with no time limit. Rejects with SERVICE_RATE_LIMITED on timeout, or with
 * SERVICE_LIMIT_AWAY if Redis is the reason, and at once if another process sends, or if a 429 holds
 * all calls for longer than the lane's patience.
 */
export async function admit(
  { throttle, clock }: Pick<CallContext, 'throttle' | 'clock'>,
  asked: AdmissionRequest,
): Promise<Admission> {
  const request = throttle.placed(asked);
  const heldForMs = () => (throttle.state().heldUntil ?? 0) - clock.now();
  const timedOut = () =>
    throttle.state().isRedisAway
      ? notSent('SERVICE_LIMIT_AWAY', 'Redis, which shares the rate limit, cannot be used')
      : notSent(
          'SERVICE_RATE_LIMITED',
          'no slot of the rate window came free in time',
          heldForMs(),
        );
  const timeoutMs = PATIENCE_MS[request.lane];
  if (heldForMs() > timeoutMs) throw timedOut();
  if (asked.lane === 'bulk') return throttle.admit(request);
  const deadline = startDeadline({ clock, signal: request.signal, timeoutMs, timedOut });
  try {
    return await throttle.admit({ ...request, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}

interface SlotRequest extends Call {
  timeoutMs: number;
  /** The longest that the call may take if its slot lasts as long. Default: `timeoutMs`. */
  mayTakeMs?: number;
}

/** The right to send one request, with a deadline. */
interface Slot {
  /**
   * Sends the request. Rejects with SERVICE_RATE_LIMITED if a 429 has held all calls since the slot
   * was granted; the call then needs another slot.
   */
  send(content: Pick<OutgoingRequest, 'headers' | 'body' | 'asksFirst'>): Promise<Answer>;
  /** Aborts with SERVICE_TIMEOUT when the time is up. */
  deadline: Deadline;
}

/**
 * Runs `use` once the throttle admits it, or with the caller's slot, and always gives the slot back
 * exactly once. Reports a SERVICE_RATE_LIMITED that `use` rejects with to the throttle.
 */
export async function withSlot<T>(
  context: Pick<CallContext, 'throttle' | 'clock' | 'send'>,
  { operation, options, timeoutMs, mayTakeMs = timeoutMs }: SlotRequest,
  use: (slot: Slot) => Promise<T>,
): Promise<T> {
  const { clock } = context;
  const { slot, lane, queue, signal } = options;
  const request = { lane, queue, signal, timeoutMs };
  const admission = await (slot?.take(timeoutMs) ?? admit(context, request));
  let sentAt: number | null = null;
  const timedOut = () => {
    const details = { retry: 'later', sent: sentAt === null ? 'no' : 'unknown' } as const;
    const message = `${operation.name} was not answered in time`;
    return new ServiceError('SERVICE_TIMEOUT', message, details);
  };
  const longestMs = Math.min(admission.longestMs, mayTakeMs);
  const deadline = startDeadline({ clock, signal, timeoutMs: longestMs, timedOut });
  const send: Slot['send'] = async (content) => {
    if (admission.isStale())
      throw notSent('SERVICE_RATE_LIMITED', 'the service asked to wait while this was prepared');
    sentAt = clock.now();
    return context.send({ operation, ...content, signal: deadline.signal });
  };
  let rateLimitedForMs: number | undefined;
  const outcome = (): Outcome => {
    if (sentAt === null || !deadline.signal.aborted)
      return { sent: sentAt !== null, rateLimitedForMs };
    return { sent: true, mayArriveForMs: Math.max(0, sentAt + LATEST_ARRIVAL_MS - clock.now()) };
  };
  try {
    signal?.throwIfAborted();
    return await use({ send, deadline });
  } catch (error) {
    if (isRateLimited(error)) rateLimitedForMs = error.retryAfterMs;
    throw error;
  } finally {
    deadline.stop();
    admission.done(outcome());
  }
}
