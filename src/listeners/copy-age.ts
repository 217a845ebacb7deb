import { ServiceError } from '../service/index.ts';
import type { ListenerContext } from './listener-context.ts';

/** The ages of copies that will do, in milliseconds. */
export interface CopyAges {
  /** Of the first choice; 0 for a fresh answer. */
  wanted: number;
  /** Where the person has no call left. */
  oldest: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OLDEST_MS = 10 * MINUTE;

/** Of a list of projects or folders that somebody wants anew: two who press at once share one. */
export const AGAIN: CopyAges = { wanted: SECOND, oldest: OLDEST_MS };

/** Of such a list that somebody just asks for: seconds, and minutes while files wait for the service. */
export function listAge({ isBusy }: Pick<ListenerContext, 'isBusy'>): CopyAges {
  return { wanted: isBusy() ? 3 * MINUTE : 10 * SECOND, oldest: OLDEST_MS };
}

/**
 * What `ask` resolves to; for a person who has asked for as much as one person may, what it resolves
 * to with an older copy. Where there is none either, it rejects as `ask` does.
 */
export async function orCopy<T>(
  { wanted, oldest }: CopyAges,
  ask: (maxAgeMs: number) => Promise<T>,
): Promise<T> {
  try {
    return await ask(wanted);
  } catch (error) {
    const used = error instanceof ServiceError && error.code === 'SERVICE_SHARE_USED';
    if (!used) throw error;
    return ask(oldest);
  }
}
