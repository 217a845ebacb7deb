import { LedgerError, type Transfer } from '../ledger/index.ts';
import { type FileRecord, ServiceError } from '../service/index.ts';
import {
  ageOf,
  assignRecords,
  isSame,
  isWorthLooking,
  lookDelay,
  looksLike,
  mayBe,
  type Named,
  type OpenCreate,
  openCreate,
} from '../transfers/index.ts';
import { settleRecord } from './settle-record.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { type FolderView, othersBeside, viewFolder } from './view-folder.ts';

/**
 * Looks for the record of a transfer whose create was answered with success, and not with its
 * record: files it with that, hands it back until the next look, or in the end files it without.
 */
export async function identifyStep(held: HeldTransfer, context: TransferContext): Promise<void> {
  const { record, seen } = await look(held, context);
  if (record && (await settleRecord(held, record, context)) === 'filed') return;
  const { ledger, clock } = context;
  const now = clock.now();
  const openMs = now - (held.transfer.creatingSince ?? now);
  if (isWorthLooking(openMs, seen)) {
    const wait = lookDelay(openMs, Number.POSITIVE_INFINITY);
    return ledger.releaseTransfer(held.claim, now + wait);
  }
  await ledger.markFiled(held.claim, { recordId: null, now });
  context.logger.warn({ transfer: held.transfer.id }, 'A file is filed, its record is not known');
}

interface Seen {
  record: FileRecord | null;
  /** Whether a later list cannot show more than one could have shown now. */
  seen: boolean;
}

async function look(held: HeldTransfer, context: TransferContext): Promise<Seen> {
  try {
    return { record: await ownRecord(held, context), seen: true };
  } catch (error) {
    if (held.signal.aborted || error instanceof LedgerError) throw error;
    const { id: transfer } = held.transfer;
    context.logger.warn({ transfer, error }, 'A folder could not be looked into for a record');
    return { record: null, seen: error instanceof ServiceError && error.retry === 'never' };
  }
}

async function ownRecord(held: HeldTransfer, context: TransferContext): Promise<FileRecord | null> {
  const now = context.clock.now();
  const [own] = openCreate(held.transfer, now);
  if (!own) return null;
  const view = await viewFolder(
    held,
    (files) => files.filter((file) => isInQuestion(own, file)),
    context,
  );
  const others = othersBeside(own, view, now);
  const answered = [own, ...others.filter(isAnswered)];
  const sought = answered.sort((a, b) => (a.attachmentId ?? 0) - (b.attachmentId ?? 0));
  const rivals = others.filter((other) => !isAnswered(other));
  const records = assignRecords(sought, usable(own, view, rivals));
  return records[sought.findIndex(({ id }) => id === own.id)] ?? null;
}

function isInQuestion(own: OpenCreate, file: FileRecord): boolean {
  const age = ageOf(own, file);
  return age === 'new' || (age === 'doubtful' && isSame(own, file));
}

function isAnswered({ state }: Transfer): boolean {
  return state === 'created' || state === 'filed';
}

// What may be of a create without an answer, or of nobody knows whom, tells by its name alone.
function usable(own: OpenCreate, view: FolderView, rivals: readonly OpenCreate[]): FileRecord[] {
  const isOurs = ({ creatorId }: FileRecord) => view.creators.size > 0 || creatorId === null;
  return view.records.filter((record) =>
    rivals.some((rival) => mayBe(rival, record))
      ? isSame(own, record) || isAlikeAlone(own, record, rivals)
      : isOurs(record) || looksLike(own, record),
  );
}

function isAlikeAlone(own: Named, record: FileRecord, rivals: readonly Named[]): boolean {
  return looksLike(own, record) && !rivals.some((rival) => looksLike(rival, record));
}
