import { type Clock, type Logger, MAX_RETRY_AFTER_MS } from '../../base/index.ts';
import type { Sender } from './right-to-send.ts';

/** A class of calls. `interactive`: a person waits; goes first. `bulk`: filing; spread out. */
export type Lane = 'interactive' | 'bulk';

/** The longest wait for admission, in milliseconds; in the bulk lane, for the end of a hold. */
export const PATIENCE_MS: Record<Lane, number> = { interactive: 8_000, bulk: 30_000 };

/** Returns how many of `slots` each lane may use: of four or more neither may take all. */
export function slotsOf(slots: number): Record<Lane, number> {
  const interactive = Math.max(1, slots - Math.max(1, Math.floor(slots / 3)));
  return { interactive, bulk: slots < 4 ? slots : slots - 1 };
}

/** Returns how many of `slots` one person may use at once, at least one; fewer while few are free. */
export function personalSlots(slots: number, free: number): number {
  const share = free <= slots / 6 ? 3 / 8 : 2 / 3;
  return Math.max(1, Math.floor(slotsOf(slots).interactive * share));
}

export interface AdmissionRequest {
  lane: Lane;
  /** Queues of a lane take turns: a channel, or a person. */
  queue?: string | undefined;
  /** How long the call's slot must last, in milliseconds. */
  timeoutMs: number;
  /** Removes the call from its queue on abort; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The right to send one request now. */
export interface Admission {
  /** The longest that the call may take, in milliseconds; a slot shared over Redis then expires. */
  longestMs: number;
  /** Whether all calls were held since it was granted; the call then needs a new admission. */
  isStale(): boolean;
  /** Must be called when the request is answered, fails, or will not be sent; the first counts. */
  done(outcome: Outcome): void;
}

/** How a call ended. If it was sent, its slot stays taken for one window. */
export interface Outcome {
  sent: boolean;
  /** How long after that end it may still reach the service, in milliseconds. Default: it did before. */
  mayArriveForMs?: number | undefined;
  /** How long the service asks to wait, in milliseconds, if it answered 429. */
  rateLimitedForMs?: number | undefined;
}

export interface ThrottleOptions {
  /** The account address; instances with the same one share its limit. */
  account: string;
  /** At most `requests` in any `windowMs` milliseconds (service interface, section 8). */
  limit: { requests: number; windowMs: number };
  /** Instances share the limit over it; absent: there is one. Verifies certificates by default. */
  redis?: { url: string; verifyCertificate?: boolean | undefined } | undefined;
  /** Called when all calls begin to be held, or Redis can no longer be used, and when that ends. */
  onHeld?: (() => void) | undefined;
  /**
   * Which of several processes may send, where they share a database and no Redis, and what this
   * one is called; absent: there is one process, or a Redis.
   */
  right?: { sender: Sender; process: string } | undefined;
  /** Admits nothing before, by our clock, for a window at most: another process may have sent. */
  quietUntil?: number | undefined;
  clock: Clock;
  logger: Logger;
}

/** Returns half as many slots, at least two (one if there is only one). */
export function halved(slots: number): number {
  return Math.max(Math.min(2, slots), Math.floor(slots / 2));
}

/** Returns the slots one window later: more by a twelfth of the limit, at least by one. */
export function regrown(slots: number, limit: number): number {
  return Math.min(limit, slots + Math.max(1, Math.floor(limit / 12)));
}

export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

/**
 * Creates the limit that adapts to 429s. One holds all calls as long as the service asks, ten
 * minutes at most. Then fewer slots are used, more with each window, and calls go one at a time
 * until one succeeds, with Redis also at the start: other instances may be held.
 */
export function createAdaptiveLimit(
  { clock, limit, redis }: ThrottleOptions,
  onChange: () => void,
  signal: AbortSignal,
) {
  let slots = limit.requests;
  let until = Number.NEGATIVE_INFINITY;
  let probing = redis !== undefined;
  let holds = 0;

  const heldUntil = () => (until > clock.now() ? until : null);

  // The timer ends the hold, because it may fire a millisecond early.
  async function recover(ms: number): Promise<void> {
    const hold = ++holds;
    await clock.sleep(ms, signal);
    while (hold === holds) {
      until = Number.NEGATIVE_INFINITY;
      onChange();
      if (slots === limit.requests) return;
      await clock.sleep(limit.windowMs, signal);
      if (hold === holds) slots = regrown(slots, limit.requests);
    }
  }

  return {
    slots: () => slots,
    isProbing: () => probing,
    /** When the hold ends, by our clock; null without a hold. */
    heldUntil,
    holds: () => holds,
    /** Holds all calls for `ms`, then uses `to` slots. Does nothing if a longer hold is active. */
    hold(ms: number, to = slots): void {
      const lastsMs = Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS);
      if (clock.now() + lastsMs <= (heldUntil() ?? clock.now())) return;
      [slots, until, probing] = [Math.min(to, limit.requests), clock.now() + lastsMs, true];
      recover(lastsMs).catch(() => {});
      onChange();
    },
    /** Ends the probing after a successful call. */
    free(): void {
      if (heldUntil() !== null) return;
      probing = false;
      onChange();
    },
  };
}

/** The state of all slots, including those of other instances. */
export interface SlotState {
  now: number;
  slots: number;
  free: number;
  leftForPeople: number;
  /** When this instance's slots return, soonest first; the last is that of a call sent now. */
  returns: readonly number[];
  /** How long a slot stays taken after its call, in milliseconds. */
  holdMs: number;
}

/**
 * Returns the earliest time at which a bulk call leaves enough slots for people; at the latest when
 * the next slot returns. People are expected to take a fifth of the slots per window, evenly spaced.
 * So bulk calls get the rest at once after an idle time, then what people leave, and all but the
 * one reserved for people once slots return evenly.
 */
export function roomForBulkAt({ now, slots, free, leftForPeople, returns, holdMs }: SlotState) {
  if (free > leftForPeople) return now;
  const next = Math.max(now + 1, returns[0] ?? 0);
  if (free <= slots - slotsOf(slots).bulk) return next;
  const personEveryMs = holdMs / Math.floor(slots / 5);
  const enoughAt = returns.map((at, before) => at - (free + before) * personEveryMs);
  return Math.min(next, Math.max(now, ...enoughAt));
}

/** An unsent call counts as this part of one: thousands of them would keep the database busy. */
const UNSENT_COUNTS = 1 / 10;

/**
 * Returns a function that resolves when the next bulk call may go, to a function to be called if it
 * is not sent after all. A burst that fits goes at once, and more is spread. Calls may run ahead of
 * the steady rate by a window's calls; after a wait for slots, by a quarter of that; not at all
 * while the adaptive limit is reduced.
 */
export function createBulkPace(
  slots: { state(): Promise<SlotState> },
  { clock, limit }: ThrottleOptions,
  signal: AbortSignal,
): () => Promise<() => void> {
  // When the next call is due at the steady rate.
  let due = 0;

  return async () => {
    for (let ahead = 1; ; ) {
      const state = await slots.state();
      const { now, holdMs } = state;
      const earliest = now - (state.slots < limit.requests ? 0 : ahead * holdMs);
      due = Math.max(due, earliest);
      const intervalMs = holdMs / slotsOf(state.slots).bulk;
      const roomAt = roomForBulkAt(state);
      const delay = Math.max(due, roomAt) - now;
      if (delay <= 0) {
        due += intervalMs;
        return () => {
          due -= intervalMs * (1 - UNSENT_COUNTS);
        };
      }
      await clock.sleep(Math.max(1, Math.min(delay, intervalMs)), signal);
      if (roomAt > now) ahead = 1 / 4;
    }
  };
}
