import type { ErrorCode } from '../base/index.ts';
import { EARLY_MS } from './retry-policy.ts';

/**
 * What files wait for until somebody mends it: the account's key, Slack's files, or a folder, named as
 * `folderNumber` writes it.
 */
export const KEY = 'key';
export const SLACK_FILES = 'slack-files';

/** Errors by which some accounts refuse what is asked of a folder or project that is gone. */
export const UNEXPLAINED: readonly ErrorCode[] = [
  'SERVICE_REFUSED',
  'SERVICE_BAD_REQUEST',
  'SERVICE_BLOCKED',
];

/** Problems of a folder that nobody can list any more: it is gone, or access to it is denied. */
export const SHUT = ['DESTINATION_GONE', 'SERVICE_FORBIDDEN'] as const satisfies ErrorCode[];

/** What the service says about a folder, or about its project, and not about a file. */
export const FOLDER_REASONS = [...SHUT, 'SERVICE_UPLOAD_FORBIDDEN'] as const satisfies ErrorCode[];

/** Why a channel's files wait for its folder */
export type FolderReason = (typeof FOLDER_REASONS)[number];

/** Returns what a problem says about the folder; null if it is about the file, and for none. */
export function folderReason(code: ErrorCode | null): FolderReason | null {
  if (code === 'RECORD_UNSEEN') return 'SERVICE_FORBIDDEN';
  return FOLDER_REASONS.find((reason) => reason === code) ?? null;
}

/** Under this a hold notes that whoever runs Pigeonhole was notified; channels, by their queues. */
export const OPERATOR = 'operator';

/** Why a hold stands, and since when, in epoch milliseconds. */
export interface Hold {
  scope: string;
  reason: ErrorCode;
  since: number;
}

/**
 * Returns the scope other than a folder that a file's error is about; null if it is about neither. What
 * Slack says of a file that was shared less than EARLY_MS ago may be wrong, and is about no other.
 */
export function scopeOf(code: ErrorCode, ageMs: number): typeof KEY | typeof SLACK_FILES | null {
  if (code === 'SERVICE_UNAUTHORIZED') return KEY;
  return code === 'SLACK_FILE_UNAUTHORIZED' && ageMs >= EARLY_MS ? SLACK_FILES : null;
}

export function isFolder(scope: string): boolean {
  return scope !== KEY && scope !== SLACK_FILES;
}

/** What a probe got done. */
type Done = 'download' | 'upload' | 'create';

/** Whether a probe that got this done proves that its hold is over. */
export function provesEnd(done: Done, { scope, reason }: Hold): boolean {
  if (scope === SLACK_FILES) return done === 'download';
  if (scope === KEY || reason === 'SERVICE_UPLOAD_FORBIDDEN') return done !== 'download';
  return done === 'create';
}

const FOLDER_WAITS = { least: 60_000, most: 60 * 60_000 };
const OTHER_WAITS = { least: 10_000, most: 5 * 60_000 };

/** Returns the wait before the next probe, in milliseconds: within bounds, as long as it was held. */
export function probeDelay(scope: string, heldMs: number): number {
  const { least, most } = isFolder(scope) ? FOLDER_WAITS : OTHER_WAITS;
  return Math.min(most, Math.max(least, heldMs));
}
