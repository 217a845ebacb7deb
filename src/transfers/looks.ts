import type { ErrorCode } from '../base/index.ts';

/**
 * When a folder is looked into for what an open create left, and what its list can show by then.
 */

/** Creates of a file without a known end; then a person is asked before another. */
export const MAX_CREATES = 3;

/** How far the clocks of the service's machines, and ours, may be apart unnoticed, in milliseconds. */
export const CLOCKS_APART_MS = 5 * 60_000;

const FIRST_LOOK_MS = 2_000;
/** The `Date` header tells whole seconds. */
const DATE_GRAIN_MS = 1_000;
/** How long the record of an answered create is looked for in lists, which may lag behind. */
const IDENTIFY_MS = 15_000;
/** The same while no list can be had. */
const IDENTIFY_UNLISTED_MS = 24 * 60 * 60_000;
const MAX_LOOK_MS = 60 * 60_000;

/**
 * The wait before the next look at an open create, in milliseconds: a record that is found is proof,
 * so the first comes soon, and each later one when the create has been open three times as long;
 * the last when one that left nothing has had `settleMs` to take effect. An hour at the most.
 */
export function lookDelay(openMs: number, settleMs: number): number {
  const left = Math.max(0, settleMs - openMs);
  return Math.min(left, MAX_LOOK_MS, Math.max(FIRST_LOOK_MS, 2 * openMs));
}

/**
 * When a create was sent, and when it was answered with an error; null while it was not. `since`: the
 * service's clock at that answer, or else at the upload's; null when it told none.
 */
export interface Sent {
  since: number | null;
  sentAt: number;
  answeredAt: number | null;
}

/**
 * From when on a list shows what a create did, by our clock: an answer ends it, whatever it says;
 * one without an answer may take `settleMs`.
 */
export function settledFrom({ sentAt, answeredAt }: Omit<Sent, 'since'>, settleMs: number): number {
  return answeredAt ?? sentAt + settleMs;
}

/**
 * Whether a list was made when a create could take effect no more, so that what the list does not
 * show is not there. Both clocks must say so, for ours may have jumped and the list may be an old
 * copy; a clock of the service's that went back, or that it did not tell, says nothing.
 */
export function hasSettled(
  sent: Sent,
  list: { serviceTime: number | null; fetchedAt: number },
  settleMs: number,
): boolean {
  if (list.fetchedAt < settledFrom(sent, settleMs)) return false;
  if (sent.since === null || list.serviceTime === null) return true;
  const elapsed = list.serviceTime - sent.since;
  const wentBack = sent.answeredAt === null ? elapsed < 0 : elapsed < -CLOCKS_APART_MS;
  const neededMs = sent.answeredAt === null ? settleMs : 0;
  return wentBack || elapsed + DATE_GRAIN_MS >= neededMs;
}

/**
 * Whether the record of an answered create is to be looked for again: `seen`, whether its folder
 * could be listed at all.
 */
export function isWorthLooking(openMs: number, seen: boolean): boolean {
  return openMs >= 0 && openMs < (seen ? IDENTIFY_MS : IDENTIFY_UNLISTED_MS);
}

/** What a service says that does not know an attachment any more; it may also mean what it says. */
const STALE: readonly ErrorCode[] = ['SERVICE_BAD_REQUEST', 'DESTINATION_GONE', 'SERVICE_REFUSED'];
const REFUSALS: readonly ErrorCode[] = [...STALE, 'SERVICE_FORBIDDEN'];
/** An attachment is known to the service, and a refusal holds, for this long at the least. */
const FRESH_MS = 60_000;

/** A create that left nothing, and what it was answered with. */
interface AbsentCreate {
  problem: ErrorCode | null;
  answeredAt: number | null;
  creatingSince: number | null;
  uploadedAt: number | null;
}

/** Whether the service has said that it will not do it. */
export function isRefusalOf({ problem, answeredAt }: Omit<AbsentCreate, 'uploadedAt'>): boolean {
  return answeredAt !== null && problem !== null && REFUSALS.includes(problem);
}

/**
 * What follows when a create has left nothing: it is sent again; or, where its attachment waited so
 * long that the service may have forgotten it, uploaded anew; or it was refused.
 */
export function afterAbsent(create: AbsentCreate, now: number): 'create' | 'upload' | 'refuse' {
  const { problem, creatingSince, uploadedAt } = create;
  const waitedMs = (creatingSince ?? 0) - (uploadedAt ?? Number.NEGATIVE_INFINITY);
  if (problem !== null && STALE.includes(problem) && waitedMs > FRESH_MS) return 'upload';
  // What was said a while ago may be otherwise now.
  const isFresh = now - (create.answeredAt ?? 0) <= FRESH_MS;
  return isRefusalOf(create) && isFresh ? 'refuse' : 'create';
}
