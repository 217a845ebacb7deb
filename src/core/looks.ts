import type { ErrorCode } from '../base/index.ts';
import { SHUT, UNEXPLAINED } from './holds.ts';

/**
 * When to list a folder for the record of an open create, and what the list can prove at that time.
 */

/** Creates of a file without a known end; then a person is asked before another. */
export const MAX_CREATES = 3;

/** How much the clocks of the service's machines and ours may differ unnoticed, in milliseconds. */
export const CLOCKS_APART_MS = 5 * 60_000;

const FIRST_LOOK_MS = 2_000;
/** The `Date` header has whole seconds. */
const DATE_GRAIN_MS = 1_000;
/** How long to look for the record of a create that succeeded: lists may lag; in milliseconds. */
const IDENTIFY_MS = 15_000;
/** The same while the folder cannot be listed. */
const IDENTIFY_UNLISTED_MS = 24 * 60 * 60_000;
const MAX_LOOK_MS = 60 * 60_000;

/**
 * Returns the wait before the next look at an open create, in milliseconds, at most an hour. A
 * found record is proof, so the first look comes soon, and each later one when the create has been
 * open three times as long; the last when it has had `settleMs` to take effect, then 0.
 */
export function lookDelay(openMs: number, settleMs: number): number {
  const left = Math.max(0, settleMs - openMs);
  return Math.min(left, MAX_LOOK_MS, Math.max(FIRST_LOOK_MS, 2 * openMs));
}

/** A create that was sent. */
export interface Sent {
  /** By our clock. */
  creatingSince: number;
  /** When it got an error response, by our clock; null if it got none. */
  answeredAt: number | null;
  /** The service's clock then, or at least not later; null if unknown. */
  serviceTime: number | null;
}

/**
 * Returns the time by our clock from which a list shows what a create did: a response of any kind
 * ends the create; without a response, it may take `settleMs`.
 */
export function settledFrom(
  { creatingSince, answeredAt }: Pick<Sent, 'creatingSince' | 'answeredAt'>,
  settleMs: number,
): number {
  return answeredAt ?? creatingSince + settleMs;
}

/**
 * Whether a list was made when a create could no longer take effect, so that a record missing from
 * the list does not exist. Both clocks must say so, because ours may have jumped and the list may
 * be an old copy.
 */
export function hasSettled(
  sent: Sent,
  list: { serviceTime: number | null; fetchedAt: number },
  settleMs: number,
): boolean {
  if (list.fetchedAt < settledFrom(sent, settleMs)) return false;
  if (sent.serviceTime === null || list.serviceTime === null) return true;
  const neededMs = sent.answeredAt === null ? settleMs : 0;
  return list.serviceTime - sent.serviceTime + DATE_GRAIN_MS >= neededMs;
}

/**
 * Whether to look again for the record of a create that succeeded. `seen`: false while the folder
 * cannot be listed but may be later.
 */
export function isWorthLooking(openMs: number, seen: boolean): boolean {
  return openMs < (seen ? IDENTIFY_MS : IDENTIFY_UNLISTED_MS);
}

/** Errors of a service that no longer knows an attachment; they may also mean what they say. */
const STALE: readonly ErrorCode[] = [...UNEXPLAINED, 'DESTINATION_GONE'];
const REFUSALS: readonly ErrorCode[] = [...UNEXPLAINED, ...SHUT];
/** How long the service at least knows an attachment, and a refusal holds, in milliseconds. */
const FRESH_MS = 60_000;

/** A create that left no record, and its error response. */
interface AbsentCreate {
  problem: ErrorCode | null;
  answeredAt: number | null;
  creatingSince: number | null;
  uploadedAt: number | null;
}

/** Whether the service refused the create. */
export function isRefusalOf({ problem, answeredAt }: Omit<AbsentCreate, 'uploadedAt'>): boolean {
  return answeredAt !== null && problem !== null && REFUSALS.includes(problem);
}

/**
 * Returns what follows when a create has left no record. `upload`: its attachment waited so long
 * that the service may have forgotten it; `refuse`: the service refused it within the last minute;
 * `create`: otherwise.
 */
export function afterAbsent(create: AbsentCreate, now: number): 'create' | 'upload' | 'refuse' {
  const { problem, creatingSince, uploadedAt } = create;
  const waitedMs = (creatingSince ?? 0) - (uploadedAt ?? Number.NEGATIVE_INFINITY);
  if (problem !== null && STALE.includes(problem) && waitedMs > FRESH_MS) return 'upload';
  // An older refusal may no longer hold.
  const isFresh = now - (create.answeredAt ?? 0) <= FRESH_MS;
  return isRefusalOf(create) && isFresh ? 'refuse' : 'create';
}
