import { PigeonholeError } from '../base/index.ts';
import { nextInFolder } from '../core/index.ts';
import { type ClaimedFiling, LedgerError, type Transfer } from '../ledger/index.ts';
import type { BulkSlot } from '../service/index.ts';
import { createBatch } from './create-batch.ts';
import type { EngineContext } from './engine-context.ts';
import { type HeldLease, heldTransfer } from './job.ts';
import { look } from './look.ts';
import { settling } from './settle.ts';

/** The wait after a run that changed nothing, although something was due, in milliseconds. */
const STUCK_MS = 30_000;

/**
 * Sees to a folder's transfers that are not filed yet, alone among all instances: looks for open
 * creates, or creates the attachments that are ready, of which a probe creates one, or looks for what may
 * have been filed before. What is left is due when its time comes.
 */
export async function fileFolder(
  { destination, attempts }: ClaimedFiling & { kind: 'folder' },
  { held, slot }: { held: HeldLease; slot: BulkSlot },
  context: EngineContext,
): Promise<void> {
  const { ledger, clock, probe } = context;
  const { token } = held;
  const unfiled = await ledger.unfiledIn(destination);
  const plan = nextInFolder(unfiled, { now: clock.now(), attempts, alone: Boolean(probe) });
  const sought = plan.look.length > 0 ? plan.look : plan.seek;
  if (sought.length > 0) {
    // The lists have slots of their own.
    slot.giveBack();
    await look(
      sought.map((one) => heldTransfer(one, held)),
      context,
    );
  } else {
    for (const { one, by } of plan.blocked) await tellBlocked(one, by, { held, context });
    const ids = plan.create.map(({ id }) => id);
    const intent = { token, ids, serviceTime: context.service.time(), now: clock.now() };
    const announced = ids.length > 0 ? await ledger.announceCreates(intent) : [];
    const [first, ...others] = announced.map((one) => heldTransfer(one, held));
    if (first) await createBatch([first, ...others], { held, slot }, context);
  }
  const left = await ledger.unfiledIn(destination);
  const now = clock.now();
  const { dueAt, create } = nextInFolder(left, { now });
  // What the database refuses to write stays as it was: all others would wait behind it.
  const isStuck = dueAt !== null && dueAt <= now && isSame(unfiled, left);
  await ledger.endJob(held, { dueAt: isStuck ? now + STUCK_MS : dueAt });
  // Until a look has shown what the probe's create did, it proves nothing; nor does a look for others that
  // came before it.
  const open = left.filter(({ state }) => state !== 'uploaded');
  const isOfOthers =
    sought.length > 0 && sought.every(({ problem }) => problem === 'RECORD_UNCLEAR');
  const isPutOff = isOfOthers && create.length > 0;
  const at = isPutOff ? now : nextInFolder(open, { now }).dueAt;
  if (probe && at !== null) await ledger.probeHolds({ at, scope: probe.scope });
}

function isSame(before: readonly Transfer[], after: readonly Transfer[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

// People are notified only when the one that is waited for has a problem.
async function tellBlocked(
  one: Transfer,
  by: Transfer,
  { held, context }: { held: HeldLease; context: EngineContext },
): Promise<void> {
  if (by.problem === null) return;
  await settling(heldTransfer(one, held), context, () => Promise.reject(twinError(by)));
}

// `isOpen`: a person must decide, or the folder must show, whether the other file arrived.
function twinError({ id, state, problem }: Transfer): PigeonholeError {
  const isOpen = state === 'refused' || problem === 'RECORD_UNCLEAR';
  return isOpen
    ? new PigeonholeError('TWIN_UNCONFIRMED', `transfer ${id} may have arrived`, { retry: 'later' })
    : new LedgerError('LEDGER_CONFLICT', `transfer ${id} is to be filed first`);
}
