import { isFinal } from '../../base/index.ts';
import {
  type Actor,
  type ChannelDestination,
  type Destination,
  type FolderRecord,
  folderNumber,
  openCreate,
  ownerOf,
  sameDestination,
  seekRecord,
  verdictOn,
} from '../../core/index.ts';
import type { Problem } from '../../ledger/index.ts';
import { ServiceError, unlessCode } from '../../service/index.ts';
import type { FileMenuClaim } from '../files/actions.ts';
import { markOf } from '../files/listed-file.ts';
import { recordsInView, showFiles, shownAs } from '../files/show-files.ts';
import type { Asked, Handler, StagedView } from '../kit/answer.ts';
import type { View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import type { FileClaim } from './actions.ts';
import {
  claimedName,
  type DeleteRefusal,
  deleteChanged,
  deleteForbidden,
  deleteGone,
  deleteQuestion,
  deleteRefused,
  fileDeleted,
} from './delete-answers.ts';

/** How old a reading that says which open creates may have made a record may be, in milliseconds. */
const RECORD_COPY_MS = 60_000;

/** Asks whether to delete a file, if the person may. */
export const askToDelete: Handler<FileMenuClaim, StagedView> = async (asked, claim, context) => {
  const found = await findDeletable(asked, claim, context);
  if ('notice' in found) return showFiles(asked, { ...claim, ...found }, context);
  if (markOf(found.name) !== claim.mark)
    return showFiles(asked, { ...claim, notice: deleteChanged() }, context);
  const { name, record, destination } = found;
  const folder = await context.names.nameFolder(destination);
  const shown = { name: claimedName({ name }), size: record.byteSize };
  return deleteQuestion({ name, folder, claim: { ...claim, ...shown } });
};

/** Handles Delete. Checks rights and existence at the press; a second press changes nothing. */
export const deleteFile: Handler<FileClaim, StagedView> = async (asked, claim, context) => {
  const outcome = await attempt(asked, claim, context);
  // The delete has succeeded, even if the list cannot be shown.
  return showFiles(asked, { ...claim, ...outcome }, context).catch((error: unknown) => {
    context.logger.warn({ error }, 'The list could not be shown after a delete');
    return outcome.notice;
  });
};

/** What the list is shown with. `isThere`: the folder held the file, so it exists. */
interface Outcome {
  notice: View;
  isThere?: true;
}

async function attempt(asked: Asked, claim: FileClaim, context: SurfaceContext): Promise<Outcome> {
  const found = await findDeletable(asked, claim, context);
  if ('notice' in found) return found;
  const { name, record, filed } = found;
  if (!isAsShown(claim, { ...record, name })) return { notice: deleteChanged(), isThere: true };
  if (!filed) await settleOpenCreates(asked, { folder: claim, record }, context);
  const outcome = await remove(asked, { folder: claim, record }, context);
  if (outcome === 'gone') return { notice: deleteGone({ name }) };
  if (outcome === 'forbidden')
    return { notice: deleteForbidden({ name, operator: context.operator }) };
  const back = filed ? { shareId: filed.shareId, transferId: filed.transferId } : null;
  return { notice: fileDeleted({ name, back }), isThere: true };
}

interface Deletable {
  record: FolderRecord;
  /** As lists show it. */
  name: string;
  destination: ChannelDestination;
  /** What the ledger knows of it, if Pigeonhole filed it. */
  filed: Filed | undefined;
}

type Filed = NonNullable<ReturnType<FiledRecords['get']>>;
type FiledRecords = Awaited<ReturnType<SurfaceContext['ledger']['filedRecords']>>;

/** Returns the file of a claim if the person may delete it; else why not. */
const findDeletable: Handler<FileClaim, Deletable | Outcome> = async (asked, claim, context) => {
  const elsewhere = { notice: deleteRefused({ reason: 'elsewhere', name: null }) };
  const destination = await context.findDestination(asked);
  // A button's value can be forged, so a channel may delete only a file that it may see.
  if (!destination || !sameDestination(destination, claim)) return elsewhere;
  const record = await recordOf(asked, claim, context);
  if (!record) return (await noteGone(asked, { claim, destination }, context)) ?? elsewhere;
  const isInView = await recordsInView(asked, destination, context);
  if (!isInView(record)) return elsewhere;
  const filed = (await context.ledger.filedRecords(claim, [record])).get(record.id);
  const name = shownAs(record.name, filed?.name);
  const reason = verdictOnCopy(asked, filed);
  if (reason === 'allowed') return { record, name, destination, filed };
  return { notice: deleteRefused({ reason, name }) };
};

/** Returns whether a person may delete a filed copy and put it back, or why not. */
export function verdictOnCopy(
  asked: Actor,
  copy: Parameters<typeof ownerOf>[0],
): 'allowed' | DeleteRefusal {
  const verdict = verdictOn(asked, 'delete-file', ownerOf(copy));
  return verdict === 'not-allowed' && copy?.savedBy ? 'saved-by-other' : verdict;
}

/** Whether a record still has the name and the size that the list with the button showed. */
function isAsShown(
  { name, size }: FileClaim,
  record: Pick<FolderRecord, 'name' | 'byteSize'>,
): boolean {
  const isSameSize =
    (size ?? null) === null || record.byteSize === null || size === record.byteSize;
  return isSameSize && (name === undefined || claimedName(record) === name);
}

interface GoneFile {
  claim: FileClaim;
  destination: ChannelDestination;
}

// Records that a file is not there any more. Returns null if the channel may not know of it: a number
// that the default folder lacks may have belonged to a file of another channel, or to none.
const noteGone: Handler<GoneFile, Outcome | null> = async (asked, gone, context) => {
  const { claim, destination } = gone;
  const was = (await context.ledger.everFiledAs(claim, [claim.fileId])).get(claim.fileId);
  if (destination.isDefault && was?.channel !== asked.channel) return null;
  if (was?.state === 'filed') await markGone(asked, was.transferId, context);
  return { notice: deleteGone({ name: was?.name ?? null }) };
};

export const markGone: Handler<number, void> = async ({ userId: user }, transfer, context) => {
  const { ledger, clock, logger, wakeNotifier } = context;
  await ledger.markDeleted(transfer, { deletedBy: null, now: clock.now() });
  logger.info({ transfer, user }, 'A file to delete was gone already');
  wakeNotifier();
};

interface ToRemove {
  folder: Destination;
  record: FolderRecord;
}

/**
 * Deletes a record that its folder's list has just shown, and records that it is gone. Checks no
 * rights; the service may refuse it.
 */
export const remove: Handler<ToRemove, 'deleted' | 'gone' | 'forbidden'> = async (
  asked,
  { folder, record },
  context,
) => {
  const { ledger, service, clock, logger, wakeNotifier } = context;
  const { team, userId: user } = asked;
  const { projectId, folderId } = folder;
  const was = (await ledger.everFiledAs(folder, [record.id])).get(record.id);
  const own = (await ledger.filedRecords(folder, [record])).get(record.id);
  const begin = async (deletedBy: string | null) =>
    own && ledger.beginDelete(own.transferId, { deletedBy, now: clock.now() });
  await begin(user);
  const answer = service.deleteFile(folder, record.id, asked.call).catch(async (error: unknown) => {
    // If a refused one is gone one day, somebody else has deleted it. Any other request may still arrive:
    // see settleDeletes.
    await begin(isFinal(error) ? null : user);
    throw error;
  });
  const outcome = await unlessCode(answer, ['SERVICE_FORBIDDEN']);
  if (outcome === null) return 'forbidden';
  const isDeleted = outcome === 'deleted';
  await ledger.noteDeleted(folder, { number: record.id, now: clock.now() });
  // What had that number is gone too: the record was renamed, or is another file's.
  const by = { deletedBy: isDeleted && own ? user : null, now: clock.now() };
  if (was) await ledger.markDeleted(was.transferId, by);
  const message = { team, channel: own?.channel ?? asked.channel, ts: own?.ts };
  const filed = { file: own?.slackFileId, transfer: own?.transferId };
  const ids = { ...message, ...filed, projectId, folderId, record: record.id, user };
  logger.info(ids, isDeleted ? 'A file was deleted' : 'A file to delete was gone already');
  wakeNotifier();
  return outcome;
};

// Returns null if the folder has no such record. Asks the service: the file may be another one than
// the list showed.
const recordOf: Handler<FileClaim, FolderRecord | null> = async ({ call }, claim, context) => {
  const { record, certain } = await context.folders.find(claim, claim.fileId, call);
  if (!record && !certain) throw unknownRecord(claim, claim.fileId);
  return record;
};

// A record missing from an incomplete list may still exist.
export function unknownRecord(folder: Destination, fileId: number): ServiceError {
  const message = `whether folder ${folderNumber(folder)} holds file ${fileId} is not known: its list could not be read to its end`;
  return new ServiceError('SERVICE_BAD_ANSWER', message, { retry: 'later', sent: 'no' });
}

/**
 * Marks as filed the open create that made a record, which no transfer holds, if a look at its
 * folder's list would. If that cannot be decided, refuses every open create that may have made it
 * with RECORD_UNCLEAR. Callers do this before they delete the record: a later look would not find
 * it, and the create would be sent again.
 */
export const settleOpenCreates: Handler<ToRemove, void> = async (
  { call },
  { folder, record },
  { folders, ledger, service, clock, logger, wake },
) => {
  const transfers = await ledger.openCreates(folder);
  if (transfers.length === 0) return;
  const { folder: read } = await folders.read(folder, { ...call, maxAgeMs: RECORD_COPY_MS });
  const now = clock.now();
  const open = transfers.map((transfer) => openCreate(transfer, now));
  const free = await ledger.unheldRecords(folder, { id: read, open });
  const creators = new Set([...service.creators, ...(await ledger.knownCreators())]);
  const { id: recordId, url: recordUrl } = record;
  const isRecord = ({ id }: { id: number }) => id === recordId;
  const seen = open
    .filter(({ state }) => state !== 'filed')
    .map((one) => ({ ...one, ...seekRecord(one, { open, free, creators }) }))
    // One whose record is another is found by a look.
    .filter(({ match }) => match.verdict !== 'found' || isRecord(match.record))
    .filter(({ records }) => records.some(isRecord));
  const own = seen.find(({ match }) => match.verdict === 'found');
  if (own) {
    await ledger.freeRecord(folder, { record, own, now });
    await ledger.markFound(own.id, { recordId, recordUrl, now });
    return wake();
  }
  const note = `record ${recordId} of its folder may have been its own, and was deleted`;
  const problem: Problem = { code: 'RECORD_UNCLEAR', note };
  for (const { id, file } of seen) {
    const message = await ledger.markUnclear(id, { problem, now });
    const ids = { ...message, file: file.id, transfer: id, ...folder };
    if (message) logger.warn({ ...ids, ...problem }, 'A file was refused');
  }
  wake();
};
