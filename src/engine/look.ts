import { isFinal, PigeonholeError } from '../base/index.ts';
import {
  afterAbsent,
  isRefusalOf,
  isWorthLooking,
  lookDelay,
  MAX_CREATES,
  UNEXPLAINED,
} from '../core/index.ts';
import { destinationOf, LedgerError, type Transfer } from '../ledger/index.ts';
import { type FileRecord, ServiceError } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import { isFolderListed, probePassed } from './holds.ts';
import type { HeldTransfer } from './job.ts';
import { isSought, settleEarlier, soughtFile } from './seek-earlier.ts';
import {
  isGone,
  problemOf,
  type SettleContext,
  settleFiled,
  settleRefused,
  settling,
} from './settle.ts';
import { type FolderView, ownRecord, seek, viewFolder } from './view-folder.ts';

/**
 * Settles the open creates of a folder by one list of it: those without a response, those with an
 * error response, and those with a success response that held no record. Also settles the files that
 * are sought: see settleEarlier.
 */
export async function look(
  claimed: readonly HeldTransfer[],
  context: EngineContext,
): Promise<void> {
  const sought = claimed.filter(isSought).map(({ transfer }) => soughtFile(transfer));
  const view = await viewFolder(claimed, sought, context).catch((error: unknown) => ({
    error,
  }));
  // Of several alike, the earliest message gets the oldest record.
  const timeOf = (held: HeldTransfer) => (isSought(held) ? soughtFile(held.transfer).sharedAt : 0);
  const inOrder = claimed.toSorted((a, b) => timeOf(a) - timeOf(b));
  let listed: Promise<boolean | null> | null = null;
  const settleOne = (held: HeldTransfer) => {
    const { transfer, signal } = held;
    const call = { queue: transfer.queue, signal };
    const isListed = () => (listed ??= isFolderListed(destinationOf(transfer), call, context));
    const asking = { ...context, isListed };
    return settling(held, asking, () => {
      if ('error' in view) return settleUnseen(held, view.error, asking);
      if (isSought(held)) return settleEarlier(held, view, asking);
      return held.transfer.state === 'created'
        ? settleCreated(held, { record: ownRecord(held.transfer, view), isSeen: true }, asking)
        : settleOpen(held, view, asking);
    });
  };
  // One by one: a record that one transfer takes is not free for the next.
  for (const held of inOrder) await settleOne(held);
}

type LookContext = SettleContext & Required<Pick<SettleContext, 'isListed'>>;

/**
 * Settles a create with a success response: files it, in the end without its record. `isSeen`: as
 * in isWorthLooking.
 */
async function settleCreated(
  held: HeldTransfer,
  { record, isSeen }: { record: FileRecord | null; isSeen: boolean },
  context: EngineContext,
): Promise<void> {
  if (record && (await settleFiled(held, record, context))) return;
  const { ledger, clock } = context;
  const now = clock.now();
  const openMs = now - (held.transfer.creatingSince ?? now);
  if (isWorthLooking(openMs, isSeen)) {
    const dueAt = now + lookDelay(openMs, Number.POSITIVE_INFINITY);
    return ledger.release(held.claim, { dueAt });
  }
  await settleFiled(held, null, context);
}

/** Settles a create without a response, or with an error response: found, absent or unclear. */
async function settleOpen(
  held: HeldTransfer,
  view: FolderView,
  context: LookContext,
): Promise<void> {
  const { ledger, settleMs } = context;
  const { transfer, claim } = held;
  const seen = seek(transfer, view, settleMs);
  // Some accounts list the whole project for a folder that is gone: the record is elsewhere then.
  const isElsewhere = seen.verdict === 'found' && (await context.isListed()) === false;
  if (seen.verdict === 'found' && !isElsewhere) {
    if (await settleFiled(held, seen.record, context)) {
      const { reason, since = 0 } = context.probe ?? {};
      // An earlier create shows that its folder is there, but not what that takes by now.
      const isProof = reason === 'DESTINATION_GONE' || since <= (transfer.creatingSince ?? 0);
      return isProof ? probePassed('create', context) : undefined;
    }
    const why = `record ${seen.record.id} of its folder was taken by another meanwhile`;
    throw unclearRecord(transfer, why);
  }
  // An unanswered create may take effect until `settleMs` have passed: only then is absence proof.
  const openMs = view.now - (transfer.creatingSince ?? 0);
  const waitMs = transfer.answeredAt === null ? lookDelay(openMs, settleMs) : 0;
  if (waitMs > 0) return ledger.release(claim, { dueAt: view.now + waitMs });
  if (seen.verdict === 'unclear') throw unclearRecord(transfer, seen.why);
  // A folder that the account does not list may still hold the record.
  if (isElsewhere && !isRefusalOf(transfer))
    throw unclearRecord(transfer, 'a record may be its own, in a folder that is not listed');
  return settleAbsent(held, context);
}

// Creates or uploads again, or refuses; after MAX_CREATES unanswered creates a person decides.
async function settleAbsent(held: HeldTransfer, context: LookContext): Promise<void> {
  const { ledger, clock } = context;
  const { transfer, claim } = held;
  const now = clock.now();
  if (transfer.creates >= MAX_CREATES) {
    const message = `transfer ${transfer.id} was created ${transfer.creates} times, without an answer or a record`;
    throw new PigeonholeError('RECORD_UNCONFIRMED', message);
  }
  await ledger.markAbsent(claim);
  const next = afterAbsent(transfer, now);
  // Under a hold, each try of a folder that is gone would upload the file again.
  if (next === 'upload' && transfer.heldAt !== null && (await isGone(held, context)))
    return settleRefused(held, { code: 'DESTINATION_GONE', note: transfer.problemNote }, context);
  if (next === 'upload') return ledger.markNotUploaded(claim, now);
  if (next === 'create') return ledger.release(claim, { dueAt: now });
  return refuseAs(held, context);
}

async function refuseAs(held: HeldTransfer, context: LookContext): Promise<void> {
  const { problem: code, problemNote: note } = held.transfer;
  if (code === null) return;
  await settleRefused(held, { code, note }, context);
}

/** Whether the service refused a list, and would again. */
function isAnswer(error: unknown): error is ServiceError {
  return error instanceof ServiceError && isFinal(error);
}

/** Settles an open create, or a file that is sought, whose folder could not be listed. */
async function settleUnseen(
  held: HeldTransfer,
  error: unknown,
  context: LookContext,
): Promise<void> {
  const { transfer, signal } = held;
  if (signal.aborted || error instanceof LedgerError) throw error;
  if (transfer.state === 'created') {
    context.logger.warn(
      { transfer: transfer.id, error },
      'A folder could not be listed to find the record of a file',
    );
    return settleCreated(held, { record: null, isSeen: isAnswer(error) }, context);
  }
  if (!isAnswer(error)) throw error;
  if (error.code === 'SERVICE_NOT_FOUND') {
    // A file whose folder is gone moves to its channel's new link, so one 404 is not enough.
    const listed = await context.isListed();
    const isLikely = isSought(held) || isRefusalOf(transfer);
    if (listed === false || (listed === null && isLikely)) throw error;
    throw unclearRecord(transfer, `its folder was reported as gone: ${error.message}`);
  }
  if (UNEXPLAINED.includes(error.code)) {
    if (await isGone(held, context))
      return settleRefused(held, { code: 'DESTINATION_GONE', note: error.said ?? null }, context);
    // These errors are about the list request, not about the file.
    throw unclearRecord(transfer, `its folder cannot be read: ${error.message}`);
  }
  if (error.code !== 'SERVICE_FORBIDDEN') throw error;
  if (wasRefused(transfer)) {
    if (isRefusalOf(transfer)) return refuseAs(held, context);
    // Why a batch was refused is not kept: what keeps the folder from being listed is shown instead.
    return settleRefused(held, problemOf(error), context);
  }
  // The file may be in the folder, but the key may not list it.
  const message = `the folder may not be looked into: ${error.message}`;
  throw new PigeonholeError('RECORD_UNSEEN', message, { cause: error });
}

// With `creates` above 0, an earlier create without a response may have left a record.
function wasRefused(transfer: Transfer): boolean {
  const { alone, answeredAt, creates } = transfer;
  const wasInRefusedBatch = alone === 1 && answeredAt !== null;
  return creates === 0 && (isRefusalOf(transfer) || wasInRefusedBatch);
}

/** Returns the error for an open create whose outcome this look cannot tell. */
function unclearRecord({ id }: Transfer, why: string): PigeonholeError {
  const message = `whether transfer ${id} is in its folder is not known: ${why}`;
  // A later look may tell; creating again could file the file twice.
  return new PigeonholeError('RECORD_UNCLEAR', message, { retry: 'later' });
}
