import { type Clock, LONGEST_BELIEVED_MS, type Logger } from '../../base/index.ts';

/** A class of calls. `interactive`: a person waits for the answer; goes first. `bulk`: filing; spread. */
export type Lane = 'interactive' | 'bulk';

/**
 * How long a call waits to be let through, in milliseconds. After that a person is told why, and files go
 * back to the ledger, where their people see what is waited for.
 */
export const PATIENCE_MS: Record<Lane, number> = { interactive: 8_000, bulk: 30_000 };

/** Of all slots, what is kept for the bulk lane: at least one, where there is another. */
const BULK_SHARE = 1 / 3;
/** From how many slots on the bulk lane leaves one alone. */
const FEWEST_TO_RESERVE_OF = 4;
/** Of the slots that people have, what one person may have at the most. */
const PERSONAL_SHARE = 2 / 3;
/** The same while no more than a sixth of all is free: the last ones are not for one person alone. */
const PERSONAL_SHARE_OF_LAST = 3 / 8;
const LAST_SHARE = 1 / 6;

/** How many of `slots` each lane may use, so that neither ever keeps the other from sending. */
export function slotsOf(slots: number): Record<Lane, number> {
  return {
    interactive: Math.max(1, slots - Math.max(1, Math.floor(slots * BULK_SHARE))),
    bulk: slots < FEWEST_TO_RESERVE_OF ? slots : slots - 1,
  };
}

/** How many of `slots` one person may use while `free` of them are free: at least one. */
export function personalSlots(slots: number, free: number): number {
  const share = free <= slots * LAST_SHARE ? PERSONAL_SHARE_OF_LAST : PERSONAL_SHARE;
  return Math.max(1, Math.floor(slotsOf(slots).interactive * share));
}

export interface AdmissionRequest {
  lane: Lane;
  /** Queues of a lane take turns: channels, or people, of whom none may have all that people have. */
  queue?: string | undefined;
  /** The longest the call may take once it is admitted, in milliseconds. */
  timeoutMs: number;
  /** Leaves the line when it aborts; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The right to send one request now. */
export interface Admission {
  /** The longest that its call may take, in milliseconds: a slot that others share comes back after that. */
  longestMs: number;
  /** Whether everybody was held since it was granted: it is then to be asked for anew. */
  isStale(): boolean;
  /**
   * Must be called exactly once, as soon as the request has been answered, has failed, or will not
   * be sent. `sent: false` gives the slot back at once; otherwise it stays taken for one window.
   */
  done(outcome: { sent: boolean; rateLimitedForMs?: number | undefined }): void;
}

export interface ThrottleOptions {
  /** The account address: who uses the same one shares its limit. */
  account: string;
  /** At most so many requests in any `windowMs` milliseconds (service interface, section 8). */
  limit: { requests: number; windowMs: number };
  /**
   * Where instances share the limit; absent: this process has it alone. Certificates are
   * verified by default.
   */
  redis?: { url: string; verifyCertificate?: boolean | undefined } | undefined;
  /** Nothing is admitted before, by our clock, as a process before this one may have sent its last. */
  quietUntil?: number | undefined;
  clock: Clock;
  logger: Logger;
}

/** Half as many slots, at least two (one where there is one). */
export function halved(slots: number): number {
  return Math.max(Math.min(2, slots), Math.floor(slots / 2));
}

/** How many slots there are one window later: a twelfth of the limit more, at least one. */
export function regrown(slots: number, limit: number): number {
  return Math.min(limit, slots + Math.max(1, Math.floor(limit / 12)));
}

export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

/**
 * What an answer of 429 does: everybody is held until the time that the service names, ten minutes at
 * the most. Then fewer slots are used, and more with each window; and calls go one at a time until the
 * first good answer, as they do at first where instances share the limit: others may be held.
 */
export function createAdaptiveLimit(
  { clock, limit, redis }: ThrottleOptions,
  onChange: () => void,
  signal: AbortSignal,
) {
  let slots = limit.requests;
  let until: number | null = null;
  let probing = redis !== undefined;
  let holds = 0;

  function heldUntil(): number | null {
    const now = clock.now();
    return until !== null && until > now ? Math.min(until, now + LONGEST_BELIEVED_MS) : null;
  }

  // The timer ends a hold as well as the clock, which may be set back meanwhile.
  async function recover(ms: number): Promise<void> {
    holds += 1;
    const hold = holds;
    await clock.sleep(ms, signal);
    while (hold === holds) {
      until = null;
      onChange();
      if (slots === limit.requests) return;
      await clock.sleep(limit.windowMs, signal);
      if (hold === holds) slots = regrown(slots, limit.requests);
    }
  }

  return {
    slots: () => slots,
    isProbing: () => probing,
    /** By our clock; null when nobody is held. */
    heldUntil,
    holds: () => holds,
    /** Nobody passes for `ms`, and `to` slots are used after that; a hold that goes on for longer stays. */
    hold(ms: number, to = slots): void {
      const lastsMs = Math.min(Math.ceil(ms), LONGEST_BELIEVED_MS);
      if (clock.now() + lastsMs <= (heldUntil() ?? Number.NEGATIVE_INFINITY)) return;
      [slots, until, probing] = [Math.min(to, limit.requests), clock.now() + lastsMs, true];
      recover(lastsMs).catch(() => {});
      onChange();
    },
    /** A call has been answered well. */
    free(): void {
      if (heldUntil() !== null) return;
      probing = false;
      onChange();
    },
  };
}

/** How all slots stand, those of other instances too. */
export interface Standing {
  now: number;
  slots: number;
  free: number;
  leftForPeople: number;
  /** When those of this instance come back, soonest first; that of a call sent now comes back last. */
  returns: readonly number[];
  /** How long one stays taken after its call, in milliseconds. */
  holdMs: number;
}

/**
 * The earliest time at which a bulk call leaves enough for people, who are expected to take a fifth of the
 * slots in a window, evenly: after idleness bulk calls get all but that fifth, then what people leave of
 * it; and as slots come back evenly, all but what they may not have. Never later than the next that comes
 * back.
 */
export function roomForBulkAt(standing: Standing): number {
  const { now, slots, free, returns, holdMs } = standing;
  if (free > standing.leftForPeople) return now;
  const next = Math.max(now + 1, returns[0] ?? 0);
  if (free <= slots - slotsOf(slots).bulk) return next;
  const personEveryMs = holdMs / Math.floor(slots / 5);
  const enoughAt = returns.map((at, before) => at - (free + before) * personEveryMs);
  return Math.min(next, Math.max(now, ...enoughAt));
}

/**
 * What fits goes at once, what does not fit is spread: a window's bulk calls may run ahead of the steady
 * rate while slots are free; once slots had to be waited for, a quarter of them; none while the service
 * takes less than the limit. The function resolves when the next call may go.
 */
export function createBulkPace(
  slots: { standing(): Promise<Standing> },
  { clock, limit }: ThrottleOptions,
  signal: AbortSignal,
): () => Promise<void> {
  // When the next call would go if all went at the steady rate.
  let due = 0;

  return async () => {
    for (let ahead = 1; ; ) {
      const standing = await slots.standing();
      const { now, holdMs } = standing;
      const earliest = now - (standing.slots < limit.requests ? 0 : ahead * holdMs);
      // A clock that is set back keeps nobody waiting for longer than a window.
      due = Math.min(Math.max(due, earliest), now + holdMs);
      const intervalMs = holdMs / slotsOf(standing.slots).bulk;
      const roomAt = roomForBulkAt(standing);
      const delay = Math.max(due, roomAt) - now;
      if (delay <= 0) {
        due += intervalMs;
        return;
      }
      await clock.sleep(Math.max(1, Math.min(delay, intervalMs)), signal);
      if (roomAt > now) ahead = 1 / 4;
    }
  };
}
