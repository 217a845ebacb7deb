import { backoff } from '../base/index.ts';
import type { Candidate, Named, Shown } from './match-records.ts';
import { alikeNames } from './names.ts';
import type { Destination } from './share.ts';

/**
 * Which files of a folder others added, and how much of the account's rate limit may be used to look
 * for them.
 */

/** The shortest time between two announcements in a channel, in milliseconds. */
export const ANNOUNCE_EVERY_MS = 10 * 60_000;
/** The same while the folder cannot be read. */
const WAITS = { firstMs: ANNOUNCE_EVERY_MS, longestMs: 2 * 60 * 60_000 };

/** Files named in one message; the rest are counted. */
export const MAX_ANNOUNCED = 10;

/** What others added to a folder: the first files, at most MAX_ANNOUNCED, and how many in all. */
export interface AddedFiles {
  count: number;
  files: { name: string; url: string | null }[];
  /** The service's name for the one person who added all; null for several or unknown ones. */
  by: string | null;
  folder: Destination;
}

/** The fraction of the account's rate limit that the lists for all channels together may use. */
const SHARE = 1 / 20;

/**
 * Returns the time between two such requests, in milliseconds: a window holds at most a twentieth
 * of the limit, rounded down. A limit under 20 allows one request in every 20 / limit windows.
 */
export function announceRequestEveryMs(limit: { requests: number; windowMs: number }): number {
  const inWindow = limit.requests * SHARE;
  return Math.ceil(limit.windowMs / (inWindow < 1 ? inWindow : Math.floor(inWindow)));
}

/** Returns the wait in milliseconds before the next look at a folder, after failures in a row. */
export function nextAnnounceMs(failures: number): number {
  return backoff(failures + 1, WAITS);
}

/**
 * Whether a file may be one of ours whose record is unknown: it has a name like one's, the size of
 * one, or no stated size. The service may have renamed it, or recorded another size than was sent.
 */
export function mayBeOurs(file: Shown, unidentified: readonly Named[]): boolean {
  return unidentified.some(
    ({ name, byteSize }) =>
      file.byteSize === null || file.byteSize === byteSize || alikeNames(name, file.name),
  );
}

/**
 * Whether a file may be what we filed under its number, perhaps renamed since: it may be ours by name
 * or size, and has no other creator.
 */
export function mayBeFiledAs(
  filed: Named & { recordCreator: number | null },
  file: Shown & Pick<Candidate, 'creatorId'>,
): boolean {
  const { recordCreator: creator } = filed;
  const isOfOther = creator !== null && file.creatorId !== null && creator !== file.creatorId;
  return !isOfOther && mayBeOurs(file, [filed]);
}
