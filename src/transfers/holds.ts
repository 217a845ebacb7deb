import type { ErrorCode } from '../base/index.ts';

/**
 * What files wait for until somebody mends it: the account's key, Slack's files, or a folder, named as
 * `folderNumber` writes it.
 */
export const KEY = 'key';
export const SLACK_FILES = 'slack-files';

/** Why a hold stands, and since when, in epoch milliseconds. */
export interface Hold {
  scope: string;
  reason: ErrorCode;
  since: number;
}

/** Returns the scope other than a folder that an error is about; null if it is about neither. */
export function scopeOf(code: ErrorCode): typeof KEY | typeof SLACK_FILES | null {
  if (code === 'SERVICE_UNAUTHORIZED') return KEY;
  return code === 'SLACK_FILE_UNAUTHORIZED' ? SLACK_FILES : null;
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
