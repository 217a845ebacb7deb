import { ServiceError } from '../service/index.ts';

/** The ages of copies that will do, in milliseconds. */
export interface CopyAges {
  /** Of the first choice; 0 for a fresh answer. */
  wanted: number;
  /** Where the person has no call left. */
  oldest: number;
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
