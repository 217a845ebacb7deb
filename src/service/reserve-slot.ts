import { admit, type BulkSlot, type CallContext } from './call.ts';
import type { Admission } from './throttle/limits.ts';
import { uploadTimeout } from './upload.ts';

/**
 * The longest that a slot shared over Redis may wait for its use, in milliseconds: half of what it
 * lasts beyond its call's timeout and window.
 */
const MAX_IDLE_MS = 500;

/**
 * Returns the client's call that reserves a slot of the bulk lane, for a create or for an upload of
 * `bytes` bytes. It resolves once the throttle has granted the slot or refused it; if it refused,
 * the promise that `take` returns rejects.
 */
export function slotReserver(context: CallContext) {
  const { clock, requestTimeoutMs } = context;
  return async ({ bytes, signal }: { bytes: number; signal: AbortSignal }): Promise<BulkSlot> => {
    const timeoutMs = uploadTimeout(requestTimeoutMs, bytes);
    // One queue for all channels: the ledger decides which channel is next.
    const admitted = admit(context, { lane: 'bulk', queue: 'filing', signal, timeoutMs });
    let unused: Promise<Admission> | null = admitted;
    const longestMs = await admitted.then(
      (admission) => admission.longestMs,
      () => Number.POSITIVE_INFINITY,
    );
    const grantedAt = clock.now();
    const giveBack = () => {
      unused?.then((admission) => admission.done({ sent: false })).catch(() => undefined);
      unused = null;
    };
    const take = (neededMs: number) => {
      const isShared = longestMs < Number.POSITIVE_INFINITY;
      const hasWaited = isShared && clock.now() - grantedAt > MAX_IDLE_MS;
      if (hasWaited || neededMs > longestMs) giveBack();
      const taken = unused;
      unused = null;
      return taken;
    };
    return { take, giveBack };
  };
}
