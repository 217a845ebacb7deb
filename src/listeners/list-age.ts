import type { ListenerContext } from './listener-context.ts';
import type { CopyAges } from './or-copy.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Who has no call left gets a list so old. */
const OLDEST_MS = 10 * MINUTE;

/** How old a list of projects or folders may be for who wants it anew: two who press at once share one. */
export const AGAIN: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

/** The same for who just asks: seconds, and minutes while files wait for the service. */
export function listAge({ isBusy }: Pick<ListenerContext, 'isBusy'>): CopyAges {
  return { wanted: isBusy() ? 3 * MINUTE : 10 * SECOND, oldest: OLDEST_MS };
}
