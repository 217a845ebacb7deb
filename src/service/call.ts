import { type Clock, type Deadline, type Random, startDeadline } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { Answer, Operation } from './answer.ts';
import type { BulkSlot } from './bulk-slot.ts';
import { notSent, ServiceError } from './errors.ts';
import type { SendRequest } from './http.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Lane,
  PATIENCE_MS,
  type Throttle,
} from './throttle/throttle.ts';

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

/** The longest that somebody who waits is kept by one request, in milliseconds. */
const INTERACTIVE_TIMEOUT_MS = 10_000;

/** Sends one request, with `json` as its body, when the throttle admits it; `read` judges the answer. */
export function callOnce<T>(
  context: CallContext,
  { operation, json, options }: { operation: Operation; json?: object; options: CallOptions },
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  const patience =
    options.lane === 'interactive' ? INTERACTIVE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
  const timeoutMs = Math.min(patience, context.requestTimeoutMs);
  const body = json && JSON.stringify(json);
  return withSlot(context, { operation, options, timeoutMs }, async (slot) => {
    slot.leave();
    return read(await context.send({ operation, body, signal: slot.deadline.signal }));
  });
}

/** The right to one request, for a time. */
export interface Slot {
  /**
   * To be called when the request is about to leave. Throws SERVICE_RATE_LIMITED when a 429 has held
   * everybody since the slot was granted: nothing was sent, and another slot is to be asked for.
   */
  leave(): void;
  /** Ends with SERVICE_TIMEOUT when the time is up. */
  deadline: Deadline;
}

interface SlotRequest {
  operation: Operation;
  options: CallOptions;
  /** The longest that `use` may take, in milliseconds. */
  timeoutMs: number;
}

/**
 * Runs `use` once the throttle admits it, or with the caller's slot, and gives the slot back exactly
 * once, whatever happens. The throttle is told of a SERVICE_RATE_LIMITED that `use` rejects with.
 */
export async function withSlot<T>(
  context: CallContext,
  { operation, options, timeoutMs }: SlotRequest,
  use: (slot: Slot) => Promise<T>,
): Promise<T> {
  const { slot: own, ...request } = options;
  const admission = await (own?.take() ?? admit(context, { ...request, timeoutMs }));
  const { signal } = options;
  let sent = false;
  const leave = () => {
    if (admission.isStale())
      throw notSent('SERVICE_RATE_LIMITED', 'the service asked to wait while this was prepared');
    sent = true;
  };
  const timedOut = () => timeoutError(operation, sent);
  const deadline = startDeadline({ clock: context.clock, signal, timeoutMs, timedOut });
  let rateLimitedForMs: number | undefined;
  try {
    signal?.throwIfAborted();
    return await use({ leave, deadline });
  } catch (error) {
    const limited = error instanceof ServiceError && error.code === 'SERVICE_RATE_LIMITED';
    if (limited) rateLimitedForMs = error.retryAfterMs;
    throw error;
  } finally {
    deadline.stop();
    admission.done({ sent, rateLimitedForMs });
  }
}

function timeoutError({ name }: Operation, sent: boolean): ServiceError {
  const details = { retry: 'later', sent: sent ? 'unknown' : 'no' } as const;
  return new ServiceError('SERVICE_TIMEOUT', `${name} was not answered in time`, details);
}

/**
 * Waits for the throttle, and in the interactive lane no longer than a person's patience. Rejects with
 * SERVICE_RATE_LIMITED then, and at once where a 429 holds everybody back for longer than the lane
 * has patience. For a slot alone the bulk lane waits as long as it takes.
 */
export async function admit(
  { throttle, clock }: Pick<CallContext, 'throttle' | 'clock'>,
  request: AdmissionRequest,
): Promise<Admission> {
  const heldForMs = () => (throttle.state().closedUntil ?? 0) - clock.now();
  const noSlot = () =>
    notSent('SERVICE_RATE_LIMITED', 'no slot of the rate window came free in time', heldForMs());
  const patienceMs = PATIENCE_MS[request.lane];
  if (heldForMs() > patienceMs) throw noSlot();
  if (request.lane === 'bulk') return throttle.admit(request);
  const { signal } = request;
  const deadline = startDeadline({ clock, signal, timeoutMs: patienceMs, timedOut: noSlot });
  try {
    return await throttle.admit({ ...request, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}
