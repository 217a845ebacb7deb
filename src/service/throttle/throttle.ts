import type { Clock, Logger } from '../../base/index.ts';

/**
 * A class of calls. `interactive`: a person waits for the answer; goes first, as long as people have no
 * more than their share of the window. `bulk`: filing; spread. Both are fair between queues.
 */
export type Lane = 'interactive' | 'bulk';

/**
 * How long a call waits to be let through, in milliseconds. A person is better served by an answer
 * that says why; files go back to the ledger, where their people see what is waited for.
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
  /** Whether everybody was held since it was granted: it is then to be asked for anew. */
  isStale(): boolean;
  /**
   * Must be called exactly once, as soon as the request has been answered, has failed, or will not
   * be sent. `sent: false` gives the slot back at once; otherwise it stays taken for one window.
   */
  done(outcome: { sent: boolean; rateLimitedForMs?: number | undefined }): void;
}

export interface RateLimit {
  /** At most so many requests in any `windowMs` milliseconds. */
  requests: number;
  windowMs: number;
}

export interface RedisOptions {
  /** `redis://` or `rediss://` address. */
  url: string;
  /** False: takes any certificate of a `rediss:` server. Default: true. */
  verifyCertificate?: boolean | undefined;
}

export interface ThrottleOptions {
  /** The account address: who uses the same one shares its limit. */
  account: string;
  /** What the service allows (service interface, section 8). */
  limit: RateLimit;
  /** Where instances share the limit; absent: this process has it alone. */
  redis?: RedisOptions | undefined;
  /** Nothing is admitted before, by our clock, as a process before this one may have sent its last. */
  quietUntil?: number | undefined;
  clock: Clock;
  logger: Logger;
}
