import type { CallOptions } from './call.ts';
import { isPersonLimit } from './errors.ts';

/** The greatest ages of a cached list, in milliseconds. */
interface CopyAges {
  /** The usual maximum; 0 for a fresh response. */
  wanted: number;
  /** The maximum once the person has used up their share of the rate limit. */
  oldest: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OLDEST_MS = 10 * MINUTE;

/** For a refresh of projects or folders. Not 0, so that simultaneous presses share one response. */
export const REFRESH_AGE: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

/** For projects or folders, without a refresh: 10 s, and 3 minutes while files wait. */
export function listAge({ isBusy }: { isBusy(): boolean }): CopyAges {
  return { wanted: isBusy() ? 3 * MINUTE : 10 * SECOND, oldest: OLDEST_MS };
}

/** For a folder's files: 0, but 5 s while files wait and this is the only instance. */
export function filesAge({ isBusy, isAlone }: { isBusy(): boolean; isAlone: boolean }): CopyAges {
  return { wanted: isAlone && isBusy() ? 5 * SECOND : 0, oldest: MINUTE };
}

/**
 * Resolves like `ask`. If the person's share of the rate limit is used up, calls `ask` again for an
 * older cached list, and rejects like `ask` if there is none.
 */
export function orOlderCopy<T>(
  { call }: { call: CallOptions },
  { wanted, oldest }: CopyAges,
  ask: (call: CallOptions & { maxAgeMs: number }) => Promise<T>,
): Promise<T> {
  return ask({ ...call, maxAgeMs: wanted }).catch((error: unknown) => {
    if (!isPersonLimit(error)) throw error;
    return ask({ ...call, maxAgeMs: oldest });
  });
}
