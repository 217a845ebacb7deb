import { backoff, type ErrorCode } from '../base/index.ts';

/** Whether and when a failed file is tried again. */

/** How long a file is tried before people are notified that it could not be filed. */
const GIVE_UP_AFTER_MS = 96 * 60 * 60 * 1000;

/** How often a process may die over a transfer before that is held to be the cause. */
export const MAX_CRASHES = 100;

/** How long what Slack says about a file may still be wrong: until then, people read that it waits. */
export const EARLY_MS = 2 * 60_000;

// A problem that time rarely solves is given up sooner; one that a person has to fix, never.
const PATIENCE_MS: Partial<Record<ErrorCode, number>> = {
  // A deletion waits for the key, too. Somebody is notified.
  SERVICE_UNAUTHORIZED: Number.POSITIVE_INFINITY,
  SLACK_FILE_DELETED: EARLY_MS,
  SLACK_FILE_FOREIGN_HOST: EARLY_MS,
  SLACK_FILE_NOT_FOUND: EARLY_MS,
  SLACK_FILE_SIZE_MISMATCH: EARLY_MS,
  SLACK_FILE_UNSUPPORTED: EARLY_MS,
};

function patienceMs(code: ErrorCode): number {
  return PATIENCE_MS[code] ?? GIVE_UP_AFTER_MS;
}

function isOfSlackFile(code: ErrorCode | null): boolean {
  return code !== null && /^SLACK_FILE_/.test(code);
}

/** The last problem, and since when attempts have failed in this way. */
interface Failing {
  problem: ErrorCode | null;
  failingSince: number | null;
}

/**
 * Returns since when a transfer has failed in the same way: at Slack, or with problems of the service
 * of the same patience. An hour without the service must not use up the patience with a file that
 * Slack does not know yet.
 */
export function failingSince(before: Failing, code: ErrorCode, now: number): number {
  if (before.failingSince === null) return now;
  return wayOf(before.problem) === wayOf(code) ? before.failingSince : now;
}

// Without a problem, the service asked for a wait, or the request was never sent.
function wayOf(code: ErrorCode | null): unknown {
  if (isOfSlackFile(code)) return 'Slack';
  // Whether a block is due to the file shows by what has got through since the first one.
  if (code === 'SERVICE_BLOCKED') return code;
  return code === null ? GIVE_UP_AFTER_MS : patienceMs(code);
}

/**
 * Whether to retry a transient failure that began at `since`; if not, people are notified. `last`: the
 * problem of the try before, by default the same. Only what Slack says again is believed.
 */
export function isWorthAnotherTry(
  code: ErrorCode,
  { since, now, last = code }: { since: number; now: number; last?: ErrorCode | null },
): boolean {
  const patience = last === code ? patienceMs(code) : Math.max(patienceMs(code), GIVE_UP_AFTER_MS);
  return now - since < patience;
}

/**
 * Returns the problem that people are told of while a file that has failed since `since` waits. What
 * Slack says early is often wrong: for some minutes they read only that the file waits for Slack.
 */
export function toldProblem(
  code: ErrorCode,
  { since, now }: { since: number; now: number },
): ErrorCode {
  return isOfSlackFile(code) && now - since < EARLY_MS ? 'SLACK_FILE_UNAVAILABLE' : code;
}

/** Problems of the service that all files share: once one file gets past one, none waits longer. */
export const OUTAGE: readonly ErrorCode[] = [
  'SERVICE_BLOCKED',
  'SERVICE_FAILED',
  'SERVICE_FULL',
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
];

const WAITS = { firstMs: 5_000, longestMs: 60 * 60 * 1000 };

/**
 * Returns the wait before the next try of a transfer, in milliseconds: it doubles from 5 s to an
 * hour, varies by half either way (`fraction` in [0, 1)), and is never below the requested wait.
 */
export function nextTryDelay(failures: number, fraction: number, retryAfterMs = 0): number {
  return backoff(failures, { ...WAITS, fraction, atLeastMs: retryAfterMs * (1 + fraction / 10) });
}
