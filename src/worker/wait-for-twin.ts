import { LedgerError } from '../ledger/index.ts';
import type { FilingContext, HeldTransfer } from './filing-context.ts';
import { settling } from './settle-failure.ts';

/** When to look again at what should be through by then, and wakes its twin when it is. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Puts off an attachment while another transfer of its name and size is on its way into the same
 * folder. Its people hear of it only when that one is in trouble.
 */
export function waitForTwin(held: HeldTransfer, context: FilingContext): Promise<void> {
  const { ledger, clock } = context;
  return settling(held, context, async () => {
    const twin = await ledger.findPlaceHolder(held.transfer);
    if (twin?.problem)
      throw new LedgerError('LEDGER_CONFLICT', `transfer ${twin.id} is to be filed first`);
    const dueAt = clock.now() + (twin ? LOOK_AGAIN_MS : 0);
    await ledger.release('transfers', { claim: held.claim, dueAt });
  });
}
