import { isFinal } from '../base/index.ts';
import type {
  CopiesClaim,
  FileClaim,
  FiledCopies,
  ServiceTroubleInput,
  View,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import {
  type FiledTransfer,
  isFiled,
  type Problem,
  type ShareRow,
  sentAs,
} from '../ledger/index.ts';
import { patientCall, ServiceError, unlessCode } from '../service/index.ts';
import {
  boundsOf,
  type ChannelDestination,
  type Destination,
  eachFileOnce,
  type FolderRecord,
  isHeld,
  isStillFiledAs,
  linkIfTo,
  oneFolder,
  openCreate,
  ownerOf,
  sameDestination,
  seekRecord,
  verdictOn,
} from '../transfers/index.ts';
import { type Asked, type Handler, type StagedView, troubleOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { recordsInView, showFiles, shownAs } from './show-files.ts';

/** How old a reading that says which open creates may have made a record may be, in milliseconds. */
const RECORD_COPY_MS = 60_000;

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

async function attempt(asked: Asked, claim: FileClaim, context: ListenerContext): Promise<Outcome> {
  const elsewhere = { notice: views.deleteRefused({ reason: 'elsewhere', name: null }) };
  const destination = await context.findDestination(asked);
  // A button's value can be forged, so a channel may delete only a file that it may see.
  if (!destination || !sameDestination(destination, claim)) return elsewhere;
  const record = await recordOf(asked, claim, context);
  if (!record) return (await noteGone(asked, { claim, destination }, context)) ?? elsewhere;
  const isInView = await recordsInView(asked, destination, context);
  if (!isInView(record)) return elsewhere;
  const filed = (await context.ledger.filedRecords(claim, [record])).get(record.id);
  const name = filed?.name ?? record.name;
  const verdict = verdictOn(asked, 'delete-file', ownerOf(filed));
  if (verdict !== 'allowed') {
    const isOfSaver = verdict === 'not-allowed' && filed && filed.savedBy !== null;
    const reason = isOfSaver ? 'saved-by-other' : verdict;
    return { notice: views.deleteRefused({ reason, name }) };
  }
  if (!isAsShown(claim, { ...record, name: shownAs(record.name, filed?.name) }))
    return { notice: views.deleteChanged({ name: claim.name ?? name }), isThere: true };
  if (!filed) await settleCreatesOf(asked, { folder: claim, record }, context);
  const outcome = await remove(asked, { folder: claim, record }, context);
  if (outcome === 'deleted') return { notice: views.fileDeleted({ name }), isThere: true };
  if (outcome === 'gone') return { notice: views.deleteGone({ name }) };
  return { notice: views.deleteForbidden({ name, operator: context.operator }) };
}

/** Whether a record still has the name and the size that the list with the button showed. */
function isAsShown(
  { name, size }: FileClaim,
  record: Pick<FolderRecord, 'name' | 'byteSize'>,
): boolean {
  const isSameSize =
    (size ?? null) === null || record.byteSize === null || size === record.byteSize;
  return isSameSize && (name === undefined || views.claimedName(record) === name);
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
  return { notice: views.deleteGone({ name: was?.name ?? null }) };
};

const markGone: Handler<number, void> = async ({ userId: user }, transfer, context) => {
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
const remove: Handler<ToRemove, 'deleted' | 'gone' | 'forbidden'> = async (
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
    own && ledger.beginDelete(own.transferId, deletedBy);
  await begin(user);
  const answer = service.deleteFile(folder, record.id, asked.call).catch(async (error: unknown) => {
    // If the file is gone one day, somebody else has deleted it.
    if (isFinal(error)) await begin(null);
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

/** A record, and the files of its folder among which open creates have theirs. */
interface SeenRecord {
  record: FolderRecord;
  files: readonly FolderRecord[];
}

// Returns null if the folder has no such record. Asks the service: the file may be another one than
// the list showed.
const recordOf: Handler<FileClaim, FolderRecord | null> = async ({ call }, claim, context) => {
  const { record, certain } = await context.folders.find(claim, claim.fileId, call);
  if (!record && !certain) throw unknownRecord(claim, claim.fileId);
  return record;
};

// Only files that the ledger does not know may be those of open creates.
const settleCreatesOf: Handler<ToRemove, void> = async ({ call }, { folder, record }, context) => {
  const { folders, ledger, clock, wake } = context;
  const open = await ledger.openCreates(folder);
  if (open.length === 0) return;
  const reading = await folders.read(folder, { ...call, maxAgeMs: RECORD_COPY_MS });
  const now = clock.now();
  const bounds = boundsOf(open.map((transfer) => openCreate(transfer, now)));
  const candidates = await ledger.candidateRecords(reading.folder, bounds);
  const files = [record, ...candidates.filter(({ id }) => id !== record.id)];
  await settleOpenCreates(folder, { record, files }, context).finally(wake);
};

// A record missing from an incomplete list may still exist.
function unknownRecord({ projectId, folderId }: Destination, fileId: number): ServiceError {
  const message = `whether folder ${projectId}/${folderId} holds file ${fileId} is not known: its list could not be read to its end`;
  return new ServiceError('SERVICE_BAD_ANSWER', message, { retry: 'later', sent: 'no' });
}

/**
 * Marks as filed the open create that made a record, which no transfer holds, if a look at its
 * folder's list would. If that cannot be decided, refuses every open create that may have made it
 * with RECORD_UNCLEAR. Callers do this before they delete the record: a later look would not find
 * it, and the create would be sent again.
 */
export async function settleOpenCreates(
  destination: Destination,
  { record, files }: SeenRecord,
  { ledger, service, clock, logger }: ListenerContext,
): Promise<void> {
  const now = clock.now();
  const creators = new Set([...service.creators, ...(await ledger.knownCreators())]);
  const transfers = await ledger.openCreates(destination);
  if (transfers.length === 0) return;
  const open = transfers.map((transfer) => openCreate(transfer, now));
  const held = await ledger.heldRecords(destination, 0);
  const free = files.filter((file) => !isHeld(held.get(file.id), file, open));
  const seen = open
    .filter(({ state }) => state !== 'filed')
    .map((one) => ({ ...one, ...seekRecord(one, { open, free, creators }) }))
    // One whose record is another is found by a look.
    .filter(({ match }) => match.verdict !== 'found' || match.record === record)
    .filter(({ records }) => records.includes(record));
  const own = seen.find(({ match }) => match.verdict === 'found');
  const { id: recordId, url: recordUrl } = record;
  const { projectId, folderId } = destination;
  if (own) {
    await ledger.freeRecord(destination, { record, own, now });
    return ledger.markFound(own.id, { recordId, recordUrl, now });
  }
  const note = `record ${recordId} of its folder may have been its own, and was deleted`;
  const problem: Problem = { code: 'RECORD_UNCLEAR', note };
  for (const { id, file } of seen) {
    const message = await ledger.markUnclear(id, { problem, now });
    const ids = { ...message, file: file.id, transfer: id, projectId, folderId };
    if (message) logger.warn({ ...ids, ...problem }, 'A file was refused');
  }
}

/** The filed copies that one question to a sharer named, after a deletion in Slack. */
interface AskedAbout {
  /** Names a share of the message. */
  claim: CopiesClaim;
  filed: FiledTransfer[];
  owner: string | null;
}

// Handles a button of the question to a sharer. Its value can be forged: it is valid only for a share
// of this channel or, in another, for the person's own share, and covers only the copies that the
// sharer was asked about.
function onChoice(choose: Handler<AskedAbout, View>): Handler<CopiesClaim, View> {
  return async (asked, claim, context) => {
    const share = await context.ledger.findShareById(claim.shareId);
    const { channel = asked.channel } = claim;
    const isElsewhere = channel !== asked.channel;
    if (share?.team !== asked.team || share.channel !== channel) return views.buttonOutOfDate();
    if (isElsewhere && share.userId !== asked.userId) return views.buttonOutOfDate();
    const filed = await copiesAskedAbout(share, claim.askedAt, context);
    return choose({ ...asked, channel }, { claim, filed, owner: share.userId }, context);
  };
}

// Returns the filed copies that the question named: the sharer's copies, in all shares of the
// message, that were asked about at that time.
async function copiesAskedAbout(
  share: ShareRow,
  at: number,
  { ledger }: ListenerContext,
): Promise<FiledTransfer[]> {
  const shares = (await ledger.sharesOf(share)).filter((one) => ownerOf(one) === share.userId);
  const all = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const copies = all.flat().filter(isFiled);
  return copies.filter(({ userId, askedAt }) => userId === share.userId && askedAt === at);
}

/**
 * Deletes the filed copies of what was deleted in Slack. Checks rights at the press. If an error
 * stops it midway, the answer names the deleted copies and asks about the rest. Rejects if the
 * error comes before the first delete.
 */
export const deleteCopies = onChoice(async (asked, { claim, filed, owner }, context) => {
  const verdict = verdictOn(asked, 'delete-file', owner);
  if (verdict !== 'allowed')
    return views.deleteRefused({ reason: verdict, name: filed[0]?.name ?? null });
  const { deleted, changed, left, trouble } = await removeAll(asked, filed, context);
  const done = await copiesOf(asked, deleted, context);
  const copies = { ...done, changed: eachFileOnce(changed) };
  return trouble
    ? views.copiesStopped({ ...copies, claim, left: eachFileOnce(left), trouble })
    : views.copiesDeleted(copies);
});

interface Removed {
  deleted: FiledTransfer[];
  /** Those whose record is not what was filed any more. */
  changed: FiledTransfer[];
  /** The copy at which it stopped, and those after it. */
  left: FiledTransfer[];
  trouble: ServiceTroubleInput | null;
}

const removeAll: Handler<readonly FiledTransfer[], Removed> = async (asked, filed, context) => {
  const deleted: FiledTransfer[] = [];
  const changed: FiledTransfer[] = [];
  // A folder whose list comes in one answer is read once for all.
  const notBefore = context.clock.now();
  for (const [nth, one] of filed.entries()) {
    const left = filed.slice(nth);
    try {
      const isBegun = deleted.length > 0;
      const outcome = await patientCall({ ...asked, isBegun }, (call) =>
        removeCopy({ ...asked, call }, { filed: one, notBefore }, context),
      );
      if (outcome === 'forbidden') return { deleted, changed, left, trouble: forbidden(context) };
      if (outcome === 'deleted') deleted.push(one);
      if (outcome === 'changed') changed.push(one);
    } catch (error) {
      if (deleted.length === 0) throw error;
      return { deleted, changed, left, trouble: troubleOf(error, 'delete', context) };
    }
  }
  return { deleted, changed, left: [], trouble: null };
};

interface CopyToRemove {
  filed: FiledTransfer;
  /** Our clock at the press: the folder was read since. */
  notBefore: number;
}

const removeCopy: Handler<CopyToRemove, Awaited<ReturnType<typeof remove>> | 'changed'> = async (
  asked,
  { filed, notBefore },
  context,
) => {
  const { id, destination: folder, recordId } = filed;
  const since = { ...asked.call, notBefore, maxAgeMs: Number.POSITIVE_INFINITY };
  const finding = context.folders.find(folder, recordId, since);
  const found = await unlessCode(finding, ['SERVICE_FORBIDDEN']);
  if (!found) return 'forbidden';
  const { record, certain } = found;
  if (record && !isStillFiledAs(sentAs(filed), record)) return 'changed';
  if (record) return remove(asked, { folder, record }, context);
  if (!certain) throw unknownRecord(folder, recordId);
  await markGone(asked, id, context);
  return 'gone';
};

function forbidden({ operator, linkBy }: ListenerContext): ServiceTroubleInput {
  const unsaid = { note: null, retryAfterMs: null, reference: null };
  return { ...unsaid, code: 'SERVICE_FORBIDDEN', doing: 'delete', operator, linkBy };
}

export const keepCopies = onChoice(async (asked, { filed }, context) =>
  views.copiesKept(await copiesOf(asked, filed, context)),
);

const copiesOf: Handler<FiledTransfer[], FiledCopies> = async (asked, files, context) => {
  const folder = oneFolder(files.map(({ destination }) => destination));
  const named = eachFileOnce(files);
  if (!folder) return { files: named, folder };
  const link = await context.ledger.findLink(asked);
  return { files: named, folder: await context.names.nameFolder(linkIfTo(folder, link) ?? folder) };
};
