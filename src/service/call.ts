import { backoff, type Random } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { Answer, Operation } from './answer.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import type { SendRequest } from './http.ts';
import { type BulkSlot, type SlotContext, withSlot } from './slot.ts';
import { type Lane, PATIENCE_MS } from './throttle/throttle.ts';

export interface CallOptions {
  lane: Lane;
  /** Fairness key of the bulk lane: see AdmissionRequest. */
  queue?: string | undefined;
  signal?: AbortSignal | undefined;
  /** A slot that the caller has: the first request of an upload or a create goes with it. */
  slot?: BulkSlot | undefined;
  /**
   * Awaited before each request, for calls that may take less than their lane's part of the window. What
   * they read is shared only with others that have one.
   */
  turn?: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

/** What each call to the service stands on. */
export interface CallContext extends SlotContext {
  send: SendRequest;
  random: Random;
  /** The longest that a request without a file may take, in milliseconds. */
  requestTimeoutMs: number;
}

/** An operation below `{base_url}`; all but a create may be repeated. */
export function apiOperation(method: Operation['method'], path: string): Operation {
  return {
    method,
    path: `/api/v3${path}`,
    name: `${method} ${path}`,
    repeatable: method !== 'POST',
    identifier: method === 'DELETE' ? null : 'id',
  };
}

/** The path of a folder's files. */
export function filesPath({ projectId, folderId }: Destination): string {
  return `/projects/${projectId}/folders/${folderId}/files`;
}

export interface Call {
  operation: Operation;
  /** The body, still to be serialised. */
  json?: object;
  options: CallOptions;
}

type ReadAnswer<T> = (answer: Answer) => T | Promise<T>;

/** The longest that somebody who waits is kept by one request, in milliseconds. */
const INTERACTIVE_TIMEOUT_MS = 10_000;

/** Sends one request when the throttle admits it; `read` judges the answer. */
export async function callOnce<T>(
  context: CallContext,
  { operation, json, options }: Call,
  read: ReadAnswer<T>,
): Promise<T> {
  const { turn, ...request } = options;
  if (turn) await turn(options.signal);
  const patience = options.lane === 'bulk' ? Number.POSITIVE_INFINITY : INTERACTIVE_TIMEOUT_MS;
  const timeoutMs = Math.min(patience, context.requestTimeoutMs);
  const body = json && JSON.stringify(json);
  return withSlot(context, { ...request, name: operation.name, timeoutMs }, async (slot) => {
    slot.leave();
    return read(await context.send({ operation, body, signal: slot.deadline.signal }));
  });
}

/** The same, again where that may help; what may not be done twice only when it never left. */
export function callWithRetries<T>(
  context: CallContext,
  call: Call,
  read: ReadAnswer<T>,
): Promise<T> {
  const { repeatable } = call.operation;
  return withRetries({ ...context, ...call.options, repeatable }, () =>
    callOnce(context, call, read),
  );
}

interface RetryOptions extends Pick<CallContext, 'clock' | 'random'> {
  lane: Lane;
  signal?: AbortSignal | undefined;
  /** Whether doing it twice is the same as doing it once. Default: true. */
  repeatable?: boolean;
}

/** How a call has fared so far. */
export interface CallHistory {
  lane: Lane;
  /** Milliseconds since the call was made. */
  elapsedMs: number;
  /** Attempts that failed, those that were rate limited in the bulk lane aside. */
  attempts: number;
  /** Attempts that were rate limited. */
  rateLimited: number;
}

/**
 * Repeats `attempt` while it rejects with a ServiceError that may pass soon. Any other rejection comes
 * out as it is; but where the person has no call left for a repetition (SERVICE_SHARE_USED), what
 * made it necessary does.
 */
export async function withRetries<T>(
  { lane, signal, clock, random, repeatable = true }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.now();
  const history: CallHistory = { lane, elapsedMs: 0, attempts: 0, rateLimited: 0 };
  let cause: ServiceError | null = null;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_SHARE_USED') throw cause ?? error;
      if (!repeatable && error.sent !== 'no') throw error;
      cause = error;
      const limited = error.code === 'SERVICE_RATE_LIMITED';
      if (limited) history.rateLimited += 1;
      if (!limited || lane === 'interactive') history.attempts += 1;
      history.elapsedMs = clock.now() - startedAt;
      const delay = nextDelay(history, error, random.fraction());
      if (delay === null) throw error;
      await clock.sleep(delay, signal);
    }
  }
}

const WAITS = { firstMs: 250, longestMs: 4_000 };
const MOST_ATTEMPTS: Record<Lane, number> = { interactive: 3, bulk: 2 };
const MOST_RATE_LIMITED = 5;
const FOR_THE_CALLER: readonly ServiceErrorCode[] = ['SERVICE_SHARE_USED', 'SERVICE_STOPPED'];

/**
 * How long to wait before the client itself tries a failed call again, in milliseconds; null when
 * it is for the caller to decide. After a 429 there is no wait: the throttle holds the call back,
 * or it is for the caller when that lasts longer than the lane's patience.
 */
export function nextDelay(
  { lane, elapsedMs, attempts, rateLimited }: CallHistory,
  error: ServiceError,
  fraction: number,
): number | null {
  if (error.retry === 'never' || FOR_THE_CALLER.includes(error.code)) return null;
  const limited = error.code === 'SERVICE_RATE_LIMITED';
  if (limited && lane === 'bulk') {
    const soon = (error.retryAfterMs ?? 0) <= PATIENCE_MS.bulk;
    return soon && rateLimited <= MOST_RATE_LIMITED ? 0 : null;
  }
  if (attempts >= MOST_ATTEMPTS[lane]) return null;
  const delay = backoff(attempts, { ...WAITS, fraction, atLeastMs: error.retryAfterMs });
  const spent = lane === 'interactive' ? elapsedMs : 0;
  if (spent + delay > PATIENCE_MS[lane]) return null;
  return limited ? 0 : delay;
}
