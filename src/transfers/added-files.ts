import type { Named } from './match-records.ts';
import { alikeNames } from './names.ts';

/**
 * What others add to a folder, as one list after another shows it, and how much of the account's rate
 * limit looking for it may take.
 */

/** A channel is told of it at most so often, in milliseconds. */
export const ANNOUNCE_EVERY_MS = 10 * 60_000;
/** The same while the folder cannot be read. */
const MAX_ANNOUNCE_MS = 2 * 60 * 60_000;

/** Files named in one message; the rest are counted. */
export const MAX_ANNOUNCED = 10;

/** Of the account's rate limit, what all channels together may take. */
const SHARE = 1 / 20;

/**
 * The time between two requests of this kind, in milliseconds: in any window there are no more of them
 * than a twentieth of the limit, and of a limit under twenty one in as many windows as that takes.
 */
export function announceRequestEveryMs(limit: { requests: number; windowMs: number }): number {
  const inWindow = limit.requests * SHARE;
  return Math.ceil(limit.windowMs / (inWindow < 1 ? inWindow : Math.floor(inWindow)));
}

/** The wait before the next look into a folder, after so many in a row that failed. */
export function nextAnnounceMs(failures: number): number {
  return Math.min(MAX_ANNOUNCE_MS, ANNOUNCE_EVERY_MS * 2 ** Math.min(failures, 10));
}

/**
 * The greatest identifier and the latest time, by the service's clock, of all that lists of a folder have
 * shown; null for a time where none was told. Nothing says that identifiers ascend, and times may be
 * missing: either tells that a record is new.
 */
export interface SeenUpTo {
  lastRecord: number;
  lastCreatedAt: number | null;
}

type Dated = { id: number; createdAt: number | null };

/** What has been seen once this list was, too. */
export function seenWith(files: readonly Dated[], before: SeenUpTo | null): SeenUpTo {
  let { lastRecord, lastCreatedAt } = before ?? { lastRecord: 0, lastCreatedAt: null };
  for (const { id, createdAt } of files) {
    lastRecord = Math.max(lastRecord, id);
    if (createdAt !== null) lastCreatedAt = Math.max(lastCreatedAt ?? createdAt, createdAt);
  }
  return { lastRecord, lastCreatedAt };
}

/** The files that no list showed before; none at the first list. */
export function addedSince<T extends Dated>(files: readonly T[], seen: SeenUpTo | null): T[] {
  if (seen === null) return [];
  const { lastRecord, lastCreatedAt } = seen;
  return files.filter(
    ({ id, createdAt }) =>
      id > lastRecord || (lastCreatedAt !== null && (createdAt ?? 0) > lastCreatedAt),
  );
}

/**
 * Whether a file may be one of ours of which nobody knows which record it has: it has the name or the
 * size of one. The service may have renamed it, or recorded another size than was sent.
 */
export function mayBeOurs(
  file: { name: string; byteSize: number | null },
  unidentified: readonly Named[],
): boolean {
  return unidentified.some(
    ({ name, byteSize }) =>
      file.byteSize === null || file.byteSize === byteSize || alikeNames(name, file.name),
  );
}
