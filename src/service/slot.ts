import { type Clock, type Deadline, startDeadline } from '../base/index.ts';
import { notSent, ServiceError } from './errors.ts';
import type { Throttle } from './throttle/create-throttle.ts';
import { type Admission, type AdmissionRequest, PATIENCE_MS } from './throttle/throttle.ts';

/** What slots come from. */
export interface SlotContext {
  throttle: Throttle;
  clock: Clock;
}

/**
 * Waits for the throttle, and in the interactive lane no longer than a person's patience. Rejects with
 * SERVICE_RATE_LIMITED then, and at once where a 429 holds everybody back for longer than the lane
 * has patience. For a slot alone the bulk lane waits as long as it takes.
 */
export async function admit(
  { throttle, clock }: SlotContext,
  request: AdmissionRequest,
): Promise<Admission> {
  const heldForMs = () => (throttle.state().closedUntil ?? 0) - clock.now();
  const timedOut = () =>
    notSent('SERVICE_RATE_LIMITED', 'no slot of the rate window came free in time', heldForMs());
  const timeoutMs = PATIENCE_MS[request.lane];
  if (heldForMs() > timeoutMs) throw timedOut();
  if (request.lane === 'bulk') return throttle.admit(request);
  const deadline = startDeadline({ clock, signal: request.signal, timeoutMs, timedOut });
  try {
    return await throttle.admit({ ...request, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}

export type BulkSlot = Awaited<ReturnType<typeof openBulkSlot>>;

/**
 * The right to one request, asked for before it is known which request that is. Resolves once the
 * throttle has admitted or rejected: what was rejected is for who takes it.
 */
export async function openBulkSlot(admitted: Promise<Admission>) {
  await admitted.catch(() => undefined);
  let taken = false;
  /** For the first who asks, as the throttle settled it; null for all others. */
  const take = (): Promise<Admission> | null => {
    if (taken) return null;
    taken = true;
    return admitted;
  };
  const free = (admission: Admission) => admission.done({ sent: false });
  /** Lets others have it, unless it was taken. */
  const giveBack = () => void take()?.then(free, () => undefined);
  return { take, giveBack };
}

interface SlotRequest extends AdmissionRequest {
  /** A slot that the caller has. */
  slot?: BulkSlot | undefined;
  /** What is sent, for messages. */
  name: string;
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

/**
 * Runs `use` once the throttle admits it, or with the caller's slot, and gives the slot back exactly
 * once, whatever happens. The throttle is told of a SERVICE_RATE_LIMITED that `use` rejects with.
 */
export async function withSlot<T>(
  context: SlotContext,
  { slot, name, ...request }: SlotRequest,
  use: (slot: Slot) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = request;
  const admission = await (slot?.take() ?? admit(context, request));
  let sent = false;
  const leave = () => {
    if (admission.isStale())
      throw notSent('SERVICE_RATE_LIMITED', 'the service asked to wait while this was prepared');
    sent = true;
  };
  const timedOut = () => timeoutError(name, sent);
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

function timeoutError(name: string, sent: boolean): ServiceError {
  const details = { retry: 'later', sent: sent ? 'unknown' : 'no' } as const;
  return new ServiceError('SERVICE_TIMEOUT', `${name} was not answered in time`, details);
}
