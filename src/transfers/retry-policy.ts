import { type ErrorCode, backoff as grow } from '../base/index.ts';

/** Whether and when a file that failed is tried again, and the folder of a paused link. */

/** How long a file is tried before its people are told that it could not be filed. */
const GIVE_UP_AFTER_MS = 96 * 60 * 60 * 1000;

/** How often a process may die over a transfer before that is held to be the cause. */
export const MAX_CRASHES = 100;

// Codes that time alone rarely mends are given up sooner; one is never given up.
const PATIENCE_MS: Partial<Record<ErrorCode, number>> = {
  // For the operator to mend, however long that takes: somebody has been told.
  SERVICE_UNAUTHORIZED: Number.POSITIVE_INFINITY,
  // For whoever linked the channel to mend.
  DESTINATION_GONE: Number.POSITIVE_INFINITY,
  SERVICE_FORBIDDEN: Number.POSITIVE_INFINITY,
  SLACK_FILE_NOT_FOUND: 90_000,
  SLACK_FILE_SIZE_MISMATCH: 60_000,
};

function patienceMs(code: ErrorCode): number {
  return PATIENCE_MS[code] ?? GIVE_UP_AFTER_MS;
}

/** What went wrong the last time, and since when. */
interface Failing {
  problem: ErrorCode | null;
  failingSince: number | null;
}

/**
 * Since when a transfer fails in the way that patience is counted for: an hour without the service
 * must not use up the patience with a file that Slack does not know yet.
 */
export function failingSince(before: Failing, code: ErrorCode, now: number): number {
  if (before.failingSince === null) return now;
  // What nobody was told of is a wait that the service asked for, or what never left.
  const patience = before.problem === null ? GIVE_UP_AFTER_MS : patienceMs(before.problem);
  return patience === patienceMs(code) ? before.failingSince : now;
}

/** Whether a failure that a later try could mend is tried again, or its people are told. */
export function isWorthAnotherTry(code: ErrorCode, since: number, now: number): boolean {
  return now - since < patienceMs(code);
}

const WAITS = { firstMs: 5_000, longestMs: 60 * 60 * 1000 };

/**
 * The wait before the next try of a transfer, in milliseconds: doubles from 5 s to an hour, spread
 * by half either way (`fraction` in [0, 1)), and never under what the service asked for.
 */
export function backoff(failures: number, fraction: number, retryAfterMs = 0): number {
  return grow(failures, { ...WAITS, fraction, atLeastMs: retryAfterMs * (1 + fraction / 10) });
}

/** Why a channel's link is paused: its folder is gone, or the right to it is lost. */
export type PauseReason = Extract<ErrorCode, 'DESTINATION_GONE' | 'SERVICE_FORBIDDEN'>;

const REASONS: Partial<Record<ErrorCode, PauseReason>> = {
  DESTINATION_GONE: 'DESTINATION_GONE',
  SERVICE_FORBIDDEN: 'SERVICE_FORBIDDEN',
  RECORD_UNSEEN: 'SERVICE_FORBIDDEN',
};

/** What a refusal says of the folder rather than of the file; null where it is about the file. */
export function pauseReason(code: ErrorCode): PauseReason | null {
  return REASONS[code] ?? null;
}

const MIN_MS = 60_000;
const MAX_MS = 60 * 60_000;

/**
 * How long until the folder of a paused link is tried again, in milliseconds: the longer it
 * was, the longer.
 */
export function probeDelay(pausedMs: number): number {
  return Math.min(MAX_MS, Math.max(MIN_MS, pausedMs));
}

/** So much later than the file that tries the folder the others are due, in milliseconds. */
export const AFTER_PROBE_MS = 2 * 60_000;
