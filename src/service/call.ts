import { type Clock, type Random, startDeadline } from '../base/index.ts';
import type { Answer } from './answer-error.ts';
import type { BulkSlot } from './bulk-slot.ts';
import type { SendRequest } from './http.ts';
import { describeOperation, type Operation } from './operation.ts';
import { withRetries } from './retry.ts';
import { notSent, ServiceError } from './service-error.ts';
import type { Admission, AdmissionRequest, Lane, Throttle } from './throttle/throttle.ts';

export interface CallOptions {
  lane: Lane;
  /** Fairness key of the bulk lane: see AdmissionRequest. */
  queue?: string | undefined;
  signal?: AbortSignal | undefined;
  /** A slot that the caller has: the first request of an upload or a create goes with it. */
  slot?: BulkSlot | undefined;
}

/** What each call to the service stands on. */
export interface CallContext {
  send: SendRequest;
  throttle: Throttle;
  clock: Clock;
  random: Random;
  /** The longest that a request without a file may take, in milliseconds. */
  requestTimeoutMs: number;
}

/** The longest that somebody who waits is kept by one request, in milliseconds. */
const INTERACTIVE_TIMEOUT_MS = 10_000;

/** Sends one request when the throttle admits it; `read` judges the answer. */
export function callOnce<T>(
  context: CallContext,
  { operation, options }: { operation: Operation; options: CallOptions },
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  const { lane, queue, signal } = options;
  const patience = lane === 'interactive' ? INTERACTIVE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
  const timeoutMs = Math.min(patience, context.requestTimeoutMs);
  return withAdmission(context.throttle, { lane, queue, signal, timeoutMs }, async (slot) => {
    slot.leave();
    return read(await sendJson(context, { operation, signal, timeoutMs }));
  });
}

/** The same, repeated by the rules of the call's lane: for what is harmless to repeat. */
export function callWithRetries<T>(
  context: CallContext,
  call: { operation: Operation; options: CallOptions },
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  return withRetries({ ...context, ...call.options }, () => callOnce(context, call, read));
}

export interface JsonRequest {
  operation: Operation;
  /** The body, still to be serialised. */
  json?: unknown;
  signal: AbortSignal | undefined;
  /** The longest that it may take, in milliseconds. */
  timeoutMs: number;
}

/** Sends one request that is admitted already, and resolves with an answer of success. */
export async function sendJson(
  { send, clock }: CallContext,
  { operation, json, signal, timeoutMs }: JsonRequest,
): Promise<Answer> {
  const timedOut = () => timeoutError(operation, 'unknown');
  const deadline = startDeadline({ clock, signal, timeoutMs, timedOut });
  const body = json === undefined ? undefined : JSON.stringify(json);
  try {
    return await send({ operation, body, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}

/** The error of a request whose time is up. */
export function timeoutError(operation: Operation, sent: 'no' | 'unknown'): ServiceError {
  const message = `${describeOperation(operation)} was not answered in time`;
  return new ServiceError('SERVICE_TIMEOUT', message, { retry: 'later', sent });
}

/** The right to one request that the throttle gave. */
export interface Slot {
  /** Whether the request has left: the slot then stays taken for a window. */
  sent: boolean;
  /**
   * To be called when the request is about to leave. Throws SERVICE_RATE_LIMITED when a 429 has held
   * everybody since the slot was granted: nothing was sent, and another slot is to be asked for.
   */
  leave(): void;
}

interface Asked extends AdmissionRequest {
  slot?: BulkSlot | undefined;
}

/**
 * Runs `use` once the throttle admits it, or with the caller's slot, and gives the slot back exactly
 * once, whatever happens. The throttle is told of a SERVICE_RATE_LIMITED that `use` rejects with.
 */
export async function withAdmission<T>(
  throttle: Throttle,
  { slot: own, ...request }: Asked,
  use: (slot: Slot) => Promise<T>,
): Promise<T> {
  const admission = await (own?.take() ?? throttle.admit(request));
  const slot = slotOf(admission);
  let rateLimitedForMs: number | undefined;
  try {
    request.signal?.throwIfAborted();
    return await use(slot);
  } catch (error) {
    const limited = error instanceof ServiceError && error.code === 'SERVICE_RATE_LIMITED';
    if (limited) rateLimitedForMs = error.retryAfterMs;
    throw error;
  } finally {
    admission.done({ sent: slot.sent, rateLimitedForMs });
  }
}

function slotOf(admission: Admission): Slot {
  return {
    sent: false,
    leave() {
      if (admission.isStale())
        throw notSent('SERVICE_RATE_LIMITED', 'the service asked to wait while this was prepared');
      this.sent = true;
    },
  };
}
