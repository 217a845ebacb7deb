import { isFinal, PigeonholeError } from '../base/index.ts';
import { attachmentOf, destinationOf, LedgerError, type Transfer } from '../ledger/index.ts';
import { type BulkSlot, type Created, type FileRecord, ServiceError } from '../service/index.ts';
import type { Destination } from '../transfers/index.ts';
import { assertHeld, type HeldLease, type HeldTransfer } from './job.ts';
import { OpenCreateError, problemOf, settleFiled, settling } from './settle.ts';
import type { FilingContext } from './worker-context.ts';

/**
 * Puts attachments into their folder with one request. The claim has written the intent, so that a
 * create without an answer is looked for and never simply repeated; and what was answered with success
 * is written down before its record is looked for, so that it is never created again.
 */
export async function createBatch(
  transfers: readonly [HeldTransfer, ...HeldTransfer[]],
  { held, slot, isPaused }: { held: HeldLease; slot: BulkSlot; isPaused: boolean },
  context: FilingContext,
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
    if (isPaused) await endPauses(destination, first.creatingSince, context);
  } catch (error) {
    const isAlone = batch.length === 1;
    await Promise.all(batch.map((one) => settleError(one, { error, isAlone }, context)));
  }
}

type Attached = Pick<Transfer, 'attachmentId'>;

/** The order that attachments are sent in: where it alone tells records apart, a look finds it again. */
export function byAttachment(a: Attached, b: Attached): number {
  return (a.attachmentId ?? 0) - (b.attachmentId ?? 0);
}

// The folder takes files. A pause that cannot be ended now ends with the next file.
async function endPauses(
  folder: Destination,
  creatingSince: number | null,
  { ledger, clock, logger }: FilingContext,
): Promise<void> {
  const now = clock.now();
  try {
    const channels = await ledger.endPauses(folder, { sentAt: creatingSince ?? now, now });
    for (const { channel } of channels) logger.info({ channel, ...folder }, 'A link goes on');
  } catch (error) {
    logger.warn({ error }, 'The pause of a link was not ended');
  }
}

function settleAnswer(held: HeldTransfer, created: Created, context: FilingContext): Promise<void> {
  return settling(held, context, async () => {
    if (created === 'refused') return goByItself(held, null, context);
    if (created && (await fileAs(held, created, context)) === 'filed') return;
    await context.ledger.markCreated(held.claim, context.clock.now());
  });
}

// Of several that were refused together nobody knows which was meant: each goes by itself.
async function goByItself(
  { claim }: HeldTransfer,
  serviceTime: number | null,
  { ledger, clock }: FilingContext,
): Promise<void> {
  const now = clock.now();
  await ledger.markAnswered(claim, { answeredAt: now, serviceTime, alone: true });
  await ledger.release('transfers', { claim, dueAt: now });
}

/**
 * Checks the record against what was sent, and records it: the file is in its folder. Returns
 * `taken`, with nothing done, when another transfer holds the record: then it is not this one's.
 * Rejects with RECORD_SIZE_MISMATCH when the service records another size than was sent.
 */
export async function fileAs(
  held: HeldTransfer,
  record: FileRecord,
  context: FilingContext,
): Promise<'filed' | 'taken'> {
  const { transfer } = held;
  const { byteSize } = attachmentOf(transfer);
  if (record.byteSize !== null && record.byteSize !== byteSize) {
    const message = `record ${record.id} has ${record.byteSize} bytes, ${byteSize} were sent`;
    throw new PigeonholeError('RECORD_SIZE_MISMATCH', message);
  }
  try {
    await settleFiled(held, record, context);
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_CONFLICT') return 'taken';
    throw error;
  }
  return 'filed';
}

// No answer proves that nothing was made: what was sent stays open, and its folder is looked at
// before it is sent again, or said to be refused.
function settleError(
  held: HeldTransfer,
  { error, isAlone }: { error: unknown; isAlone: boolean },
  context: FilingContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { claim, transfer } = held;
  return settling(held, context, async () => {
    if (!(error instanceof ServiceError)) throw error;
    if (error.sent === 'no') {
      await ledger.markNotCreated(claim);
      throw error;
    }
    if (error.sent === 'unknown') throw new OpenCreateError(error);
    const serviceTime = error.serviceTime ?? null;
    if (!isAlone && isFinal(error)) return goByItself(held, serviceTime, context);
    const now = clock.now();
    await ledger.markAnswered(claim, { answeredAt: now, serviceTime });
    if (!isFinal(error)) throw new OpenCreateError(error);
    const failingSince = transfer.failingSince ?? now;
    const problem = problemOf(error);
    await ledger.postpone(claim, { problem, dueAt: now, failingSince, now, quiet: true });
  });
}

/** When to look again at what should be through by then, and wakes its twin when it is. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Puts off an attachment while another transfer of its name and size is on its way into the same
 * folder. Its people hear of it only when that one is in trouble.
 */
export function waitForTwin(held: HeldTransfer, context: FilingContext): Promise<void> {
  const { ledger, clock } = context;
  return settling(held, context, async () => {
    const twin = await ledger.findNameReservation(held.transfer);
    if (twin?.problem) throw inTheWay(twin);
    const dueAt = clock.now() + (twin ? LOOK_AGAIN_MS : 0);
    await ledger.release('transfers', { claim: held.claim, dueAt });
  });
}

// What becomes of it people have to say, or the folder has to show.
function inTheWay({ id, state, problem }: Transfer): PigeonholeError {
  const isOpen = state === 'refused' || problem === 'RECORD_UNCLEAR';
  return isOpen
    ? new PigeonholeError('TWIN_UNCONFIRMED', `transfer ${id} may have arrived`, { retry: 'later' })
    : new LedgerError('LEDGER_CONFLICT', `transfer ${id} is to be filed first`);
}
