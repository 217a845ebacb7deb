import { type CallOptions, ServiceError } from '../service/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/*
 * What is done for a person who has asked for as much as one person may have of the rate limit: an
 * older copy does, or the call waits with the bulk.
 */

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

type Caller = Pick<Asked, 'call' | 'userId'>;

/**
 * What `ask` resolves to; for a person who has no call left, what it resolves to with an older copy.
 * Where there is none either, it rejects as `ask` does.
 */
export function orCopy<T>(
  { call }: Pick<Caller, 'call'>,
  { wanted, oldest }: CopyAges,
  ask: (call: CallOptions & { maxAgeMs: number }) => Promise<T>,
): Promise<T> {
  return unlessUsed(
    () => ask({ ...call, maxAgeMs: wanted }),
    () => ask({ ...call, maxAgeMs: oldest }),
  );
}

/** Makes one of many calls for a person: what is beyond their share waits its turn with the bulk. */
export function patientCall<T>(
  { call, userId }: Caller,
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  const inBulk = { lane: 'bulk', queue: `asked by ${userId}` } as const;
  return unlessUsed(
    () => make(call),
    () => make(inBulk),
  );
}

async function unlessUsed<T>(first: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    const used = error instanceof ServiceError && error.code === 'SERVICE_SHARE_USED';
    if (!used) throw error;
    return instead();
  }
}
