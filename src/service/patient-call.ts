import type { CallOptions } from './call.ts';
import { foundNoSlot, isPersonLimit } from './errors.ts';

interface PatientCall {
  call: CallOptions;
  userId: string;
  /** Whether a part of what the person asked for is done, so that the rest should be. Default: no. */
  isBegun?: boolean;
}

/**
 * Calls `make` for a waiting person; in the bulk lane if their share of the limit is used, and for
 * the rest of what is begun also if no slot comes free in time.
 */
export function patientCall<T>(
  { call, userId, isBegun = false }: PatientCall,
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  return make(call).catch((error: unknown) => {
    if (!isPersonLimit(error) && !(isBegun && foundNoSlot(error))) throw error;
    return make(callInBulk({ userId }));
  });
}

// A bulk call that a person waits for.
function callInBulk({ userId }: { userId: string }): CallOptions {
  return { lane: 'bulk', queue: `asked by ${userId}`, isWaitedFor: true };
}
