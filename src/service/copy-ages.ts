/** How old a copy of a list may be that people are shown, in milliseconds. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** For a refresh of projects or folders. Not 0, so that simultaneous presses share one response. */
export const REFRESH_AGE_MS = SECOND;

/** For projects or folders, without a refresh: 10 s, and 3 minutes while files wait. */
export function listAgeMs({ isBusy }: { isBusy(): boolean }): number {
  return isBusy() ? 3 * MINUTE : 10 * SECOND;
}

/** For a folder's files: 0, but 5 s while files wait. All instances share the last reading. */
export function filesAgeMs({ isBusy }: { isBusy(): boolean }): number {
  return isBusy() ? 5 * SECOND : 0;
}
