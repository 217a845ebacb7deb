import { isFinal } from '../base/index.ts';
import { attachmentOf, destinationOf, type Transfer } from '../ledger/index.ts';
import { type BulkSlot, type Created, ServiceError } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import { probePassed } from './holds.ts';
import { assertHeld, type HeldLease, type HeldTransfer } from './job.ts';
import { OpenCreateError, problemOf, settleFiled, settling } from './settle.ts';

/**
 * Creates the records of attachments in their folder with one request. The claim has recorded the
 * intent, so a create without a response is looked for, never simply repeated. A success response
 * is recorded before the record is looked for, so the file is never created again.
 */
export async function createBatch(
  transfers: readonly [HeldTransfer, ...HeldTransfer[]],
  { held, slot }: { held: HeldLease; slot: BulkSlot },
  context: EngineContext,
): Promise<void> {
  const [{ transfer: first }] = transfers;
  const batch = transfers.toSorted((a, b) => byAttachment(a.transfer, b.transfer));
  try {
    assertHeld(held, context.clock);
    const destination = destinationOf(first);
    const attachments = batch.map(({ transfer }) => attachmentOf(transfer));
    const call = { lane: 'bulk', queue: first.queue, signal: held.signal, slot } as const;
    const created = await context.service.createFiles({ destination, attachments }, call);
    await Promise.all(batch.map((one, nth) => settleAnswer(one, created[nth] ?? null, context)));
    const records = created.filter((one) => one !== null && one !== 'refused');
    await context.folders.noteCreated(destination, records);
    if (created.some((one) => one !== 'refused')) await probePassed('create', context);
  } catch (error) {
    const isAlone = batch.length === 1;
    await Promise.all(batch.map((one) => settleError(one, { error, isAlone }, context)));
  }
}

type Attached = Pick<Transfer, 'attachmentId'>;

/** Orders attachments as they are sent: a look may have only this order to tell records apart. */
export function byAttachment(a: Attached, b: Attached): number {
  return (a.attachmentId ?? 0) - (b.attachmentId ?? 0);
}

function settleAnswer(held: HeldTransfer, created: Created, context: EngineContext): Promise<void> {
  const { ledger, clock } = context;
  return settling(held, context, async () => {
    const answer = { answeredAt: clock.now(), serviceTime: null, refusal: 'batch' } as const;
    if (created === 'refused') return ledger.markAnswered(held.claim, answer);
    if (created && (await settleFiled(held, created, context, created.name))) return;
    await ledger.markCreated(held.claim, clock.now());
  });
}

// No error response proves that no record was made: a create that was sent stays open, and the
// worker lists its folder before it creates again or refuses.
function settleError(
  held: HeldTransfer,
  { error, isAlone }: { error: unknown; isAlone: boolean },
  context: EngineContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { claim } = held;
  return settling(held, context, async () => {
    if (!(error instanceof ServiceError)) throw error;
    if (error.sent === 'no') {
      await ledger.markNotCreated(claim);
      throw error;
    }
    if (error.sent === 'unknown') throw new OpenCreateError(error);
    const { serviceTime = null } = error;
    // A refused batch does not show which file is at fault.
    const reason = isAlone ? problemOf(error) : 'batch';
    const refusal = isFinal(error) ? reason : null;
    await ledger.markAnswered(claim, { answeredAt: clock.now(), serviceTime, refusal });
    if (!refusal) throw new OpenCreateError(error);
  });
}
