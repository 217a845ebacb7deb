import { isFinal } from '../base/index.ts';
import type {
  CopiesClaim,
  FileClaim,
  FiledCopies,
  ServiceTroubleInput,
  View,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type FiledTransfer, isFiled, type Problem, type ShareRow } from '../ledger/index.ts';
import { type FileRecord, patientCall, ServiceError, unlessCode } from '../service/index.ts';
import {
  type Destination,
  eachFileOnce,
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
import { ensureFolderExists, recordsInView, showFiles } from './show-files.ts';

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
  if (!(await isOfChannel(asked, claim, context)))
    return { notice: views.deleteRefused({ reason: 'elsewhere', name: null }) };
  const filed = (await context.ledger.filedRecords(claim, [claim.fileId])).get(claim.fileId);
  const seen = filed ? null : await recordOf(asked, claim, context);
  const name = filed?.name ?? seen?.record.name ?? null;
  if (name === null) return { notice: views.deleteGone({ name }) };
  const verdict = verdictOn(asked, 'delete-file', ownerOf(filed));
  if (verdict !== 'allowed') {
    const isOfSaver = verdict === 'not-allowed' && filed && filed.savedBy !== null;
    const reason = isOfSaver ? 'saved-by-other' : verdict;
    return { notice: views.deleteRefused({ reason, name }) };
  }
  if (seen) await settleOpenCreates(claim, seen, context).finally(context.wake);
  const outcome = await remove(asked, claim, context);
  if (outcome === 'deleted') return { notice: views.fileDeleted({ name }), isThere: true };
  if (outcome === 'gone') return { notice: views.deleteGone({ name }) };
  return { notice: views.deleteForbidden({ name, operator: context.operator }) };
}

// A button's value can be forged, so a channel may delete only a file that it may see.
const isOfChannel: Handler<FileClaim, boolean> = async (asked, claim, context) => {
  const destination = await context.findDestination(asked);
  if (!destination || !sameDestination(destination, claim)) return false;
  const isInView = await recordsInView(asked, destination, context);
  return isInView(claim.fileId);
};

/** Deletes a file and records that it is gone. Checks no rights; the service may refuse it. */
async function remove(
  asked: Asked,
  claim: Destination & { fileId: number },
  context: ListenerContext,
): Promise<'deleted' | 'gone' | 'forbidden'> {
  const { ledger, service, clock, logger, wakeNotifier } = context;
  const { team, userId: user } = asked;
  const { projectId, folderId, fileId: record } = claim;
  const begin = (deletedBy: string | null) =>
    ledger.beginDelete(claim, { recordId: record, deletedBy });
  await begin(user);
  const answer = service.deleteFile(claim, record, asked.call).catch(async (error: unknown) => {
    // If the file is gone one day, somebody else has deleted it.
    if (isFinal(error)) await begin(null);
    throw error;
  });
  const outcome = await unlessCode(answer, ['SERVICE_FORBIDDEN']);
  if (outcome === null) return 'forbidden';
  const isDeleted = outcome === 'deleted';
  const own = (await ledger.filedRecords(claim, [record])).get(record);
  const by = { deletedBy: isDeleted ? user : null, now: clock.now() };
  if (own) await ledger.markDeleted(own.transferId, by);
  const message = { team, channel: own?.channel ?? asked.channel, ts: own?.ts };
  const filed = { file: own?.slackFileId, transfer: own?.transferId };
  const ids = { ...message, ...filed, projectId, folderId, record, user };
  logger.info(ids, isDeleted ? 'A file was deleted' : 'A file to delete was gone already');
  wakeNotifier();
  return outcome;
}

/** A record, and the list of its folder that shows it. */
interface SeenRecord {
  record: FileRecord;
  files: readonly FileRecord[];
}

// Returns null if the folder has no such record: a made-up number never reaches the service. If the
// cached list lacks it, reads a fresh one, because another instance may have filed it since.
const recordOf: Handler<FileClaim, SeenRecord | null> = async ({ call }, claim, context) => {
  for (const maxAgeMs of [RECORD_COPY_MS, 0]) {
    const list = await context.service.listFiles(claim, { ...call, maxAgeMs });
    const record = list.files.find((file) => file.id === claim.fileId);
    if (record) {
      await ensureFolderExists(claim, { ...list, files: [record] }, context);
      return { record, files: list.files };
    }
    if (!list.complete) throw unknownRecord(claim);
  }
  return null;
};

// A record missing from an incomplete list may still exist.
function unknownRecord({ projectId, folderId, fileId }: FileClaim): ServiceError {
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
  const free = files.filter(({ id }) => !held.has(id));
  const seen = open
    .filter(({ state }) => state !== 'filed')
    .map((one) => ({ ...one, ...seekRecord(one, { open, free, creators }) }))
    // One whose record is another is found by a look.
    .filter(({ match }) => match.verdict !== 'found' || match.record === record)
    .filter(({ records }) => records.includes(record));
  const own = seen.find(({ match }) => match.verdict === 'found');
  const { id: recordId, url: recordUrl } = record;
  const { projectId, folderId } = destination;
  if (own) return ledger.markFound(own.id, { recordId, recordUrl, now });
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
  const { deleted, left, trouble } = await removeAll(asked, filed, context);
  const copies = await copiesOf(asked, deleted, context);
  return trouble
    ? views.copiesStopped({ ...copies, claim, left: eachFileOnce(left), trouble })
    : views.copiesDeleted(copies);
});

interface Removed {
  deleted: FiledTransfer[];
  /** The copy at which it stopped, and those after it. */
  left: FiledTransfer[];
  trouble: ServiceTroubleInput | null;
}

const removeAll: Handler<readonly FiledTransfer[], Removed> = async (asked, filed, context) => {
  const deleted: FiledTransfer[] = [];
  for (const [nth, one] of filed.entries()) {
    const { destination, recordId: fileId } = one;
    const left = filed.slice(nth);
    try {
      const isBegun = deleted.length > 0;
      const outcome = await patientCall({ ...asked, isBegun }, (call) =>
        remove({ ...asked, call }, { ...destination, fileId }, context),
      );
      if (outcome === 'forbidden') return { deleted, left, trouble: forbidden(context) };
      if (outcome === 'deleted') deleted.push(one);
    } catch (error) {
      if (deleted.length === 0) throw error;
      return { deleted, left, trouble: troubleOf(error, 'delete', context) };
    }
  }
  return { deleted, left: [], trouble: null };
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
