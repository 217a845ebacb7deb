import type { App } from '@slack/bolt';
import {
  type FolderRef,
  isInFolder,
  isOfSaved,
  type Share,
  type SharedFile,
  sameDestination,
  verdictOn,
} from '../../core/index.ts';
import type { Transfer } from '../../ledger/index.ts';
import { assessFile, SlackFileError } from '../../slack/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf } from '../kit/answer.ts';
import { isStillIn } from '../kit/membership.ts';
import { type Line, say } from '../kit/prose.ts';
import { leftChannel, WITHOUT_FILES } from '../kit/refusals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { listenForFolderUse, listsProjects, openForm } from '../link/folder-form.ts';
import { linkRefusal } from '../link/link-refusals.ts';
import { findUsable } from '../link/resolve-folder.ts';
import type { SaveAgainClaim } from './actions.ts';
import {
  type FilesToSave,
  type FolderPick,
  filesToSave,
  folderPick,
  SAVE_FORM,
  SAVE_NOT_OPENED,
  type SaveForm,
  type SaveRefusal,
  savedAgain,
  savedFiles,
  saveRefusal,
  saveRefused,
  tooManyToSave,
} from './save-view.ts';

/**
 * Opens the form that saves the files of a message to a folder, if the person may. It offers the
 * likeliest folders, first by number, later by name. A `share` of null: the message has no files.
 */
export const openSaveModal: Handler<Share | null> = async (asked, share, context) => {
  if (!share) return WITHOUT_FILES;
  const reason = verdictOn(asked, 'link-channel');
  const count = share.files.length;
  if (reason !== 'allowed') return saveRefused({ ...readerOf(asked), reason, count });
  const message = filesToSave(share);
  if (!message) return tooManyToSave({ count });
  const likely = await likelyFolders(asked, context);
  const picks = likely.map(({ why, folder }) => folderPick(why, folder));
  const place = { ...message, channelName: null, isElsewhere: false, isListed: true };
  const form = { ...place, picks, picked: null, folder: null };
  const prepare = async () => {
    const named = likely.map(async ({ why, folder }) =>
      folderPick(why, await context.names.nameFolder(folder)),
    );
    const [isListed, ...picks] = await Promise.all([listsProjects(asked, context), ...named]);
    return SAVE_FORM.show({ ...form, picks, isListed });
  };
  const opened = { first: SAVE_FORM.show(form), prepare, notOpened: SAVE_NOT_OPENED };
  return openForm(asked, opened, context);
};

interface LikelyFolder {
  why: FolderPick['why'];
  folder: FolderRef;
}

async function likelyFolders(
  asked: Asked,
  { ledger, findDestination }: SurfaceContext,
): Promise<LikelyFolder[]> {
  const [last, own] = await Promise.all([ledger.lastSavedTo(asked), findDestination(asked)]);
  const channel = own && { why: 'channel' as const, folder: own };
  if (!last) return channel ? [channel] : [];
  if (own && sameDestination(last, own)) return [{ why: 'last', folder: own }];
  const folder = { ...last, projectTitle: null, folderName: null };
  return [{ why: 'last', folder }, ...(channel ? [channel] : [])];
}

/** Handles the form that saves the files of a message to a folder. */
export function listenForSaveModal(app: App, context: SurfaceContext): void {
  const use = {
    ...{ kind: SAVE_FORM, doing: 'save' as const },
    perform: (asked: Asked, message: SaveForm, typed: string) =>
      saveFiles(asked, { message, typed }, context),
  };
  listenForFolderUse(app, use, context);
}

type Saved = { why: Line } | { said: PrivateView };

interface ToSave {
  message: FilesToSave;
  /** The folder, in the form that `/files link` accepts. */
  typed: string;
}

/**
 * Saves the files of a message to a folder. Returns the confirmation, or the reason for a refusal.
 * Checks rights again, because the form may have been open for a long time.
 */
export const saveFiles: Handler<ToSave, Saved> = async (asked, { message, typed }, context) => {
  const refused = (reason: SaveRefusal) => ({
    why: saveRefusal({ ...readerOf(asked), reason, count: message.files.length }),
  });
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return refused(verdict);
  const folder = await findUsable(asked, typed, context);
  if ('reason' in folder) return { why: linkRefusal({ ...readerOf(asked), ...folder }) };
  const found = await filesOf(message, context);
  if (typeof found === 'string') return refused(found);
  return record(asked, { message, folder, ...found }, context);
};

/** The most files to look up before recording; people can share no more in one Slack message. */
const MAX_ASKED = 10;

interface FoundFiles {
  files: SharedFile[];
  /** Those that were deleted in Slack. */
  deleted: ReadonlySet<string>;
}

// Slack gives a bot only the files of conversations that it is in.
async function filesOf(
  { files }: FilesToSave,
  { workspace }: SurfaceContext,
): Promise<FoundFiles | 'unreadable' | 'deleted'> {
  const stubs = files.map(stub);
  const asked = stubs.slice(0, MAX_ASKED);
  const found = await Promise.allSettled(asked.map((file) => workspace.fileInfo(file)));
  const refusals = found.map((one) =>
    one.status === 'rejected' ? one.reason : assessFile(one.value),
  );
  const isOf = (one: unknown, ...codes: string[]) =>
    one instanceof SlackFileError && codes.includes(one.code);
  const are = (...codes: string[]) => refusals.every((one) => isOf(one, ...codes));
  if (are('SLACK_FILE_DELETED')) return 'deleted';
  if (are('SLACK_FILE_NOT_FOUND', 'SLACK_FILE_DENIED', 'SLACK_FILE_DELETED')) return 'unreadable';
  const gone = asked.filter((_, nth) => isOf(refusals[nth], 'SLACK_FILE_DELETED'));
  const known = stubs.map((file, nth) => {
    const info = found[nth];
    // The worker takes the attachments of an email from Slack too.
    const isWhole = info?.status === 'fulfilled' && info.value.mode !== 'email';
    return isWhole ? info.value : file;
  });
  return { files: known, deleted: new Set(gone.map(({ id }) => id)) };
}

// A file without details: the worker gets them from Slack when it uploads the file.
function stub(id: string): SharedFile {
  return {
    ...{ id, name: null, title: null, mimetype: null, filetype: null, size: null, mode: null },
    ...{ isExternal: false, fileAccess: 'check_file_info', url: null, uploader: null },
  };
}

async function record(
  asked: Asked,
  { files, deleted, ...to }: ToRecord & FoundFiles,
  context: SurfaceContext,
): Promise<Saved> {
  const { message, folder } = to;
  const before = await inFolder(asked, to, context);
  await tryAgain(before, folder, context);
  const removed = before.filter(({ state }) => state === 'deleted');
  const wanted = files.filter((file) => !hasFile(removed, file));
  const missing = wanted.filter((file) => !hasFile(before.filter(isThere), file));
  const sent = missing.filter(({ id }) => !deleted.has(id));
  const saved = await recordAll(asked, { ...to, files: sent }, context);
  const gone = missing.length - sent.length;
  const there = wanted.length - gone - saved;
  const { projectId, folderId } = folder;
  const { channel, ts } = message;
  const names = removed.map(({ name }) => name);
  const outcome = { folder, saved, there, gone, removed: names };
  const claim = { projectId, folderId, channel, ts };
  return { said: (elsewhere) => savedFiles({ ...outcome, claim, elsewhere }) };
}

function hasFile(transfers: readonly Transfer[], { id }: SharedFile): boolean {
  return transfers.some(({ file }) => file.id === id);
}

/** Saves again, for a person who may save them, those files of a message that were removed. */
export const saveAgain: Handler<SaveAgainClaim> = async (asked, claim, context) => {
  const there = { ...asked, channel: claim.channel };
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return saveRefused({ ...readerOf(there), reason: verdict, count: 1 });
  if (!(await isStillIn(there, context))) return say(leftChannel({ elsewhere: claim.channel }));
  const { projectId, folderId, ts } = claim;
  const folder = { projectId, folderId, projectTitle: null, folderName: null };
  const message = { team: asked.team, channel: claim.channel, ts };
  const known = await inFolder(there, { message, folder }, context);
  const files = known.flatMap(({ state, file }) => (state === 'deleted' ? [file] : []));
  const [share] = await context.ledger.sharesOf(message);
  if (!share) return savedAgain({ saved: 0 });
  const { threadTs, userId: sharedBy } = share;
  const given = { ...message, threadTs, sharedBy };
  return savedAgain({ saved: await recordAll(there, { message: given, files, folder }, context) });
};

interface ToRecord {
  message: Pick<FilesToSave, 'channel' | 'ts' | 'threadTs' | 'sharedBy'>;
  files: SharedFile[];
  folder: FolderRef;
}

/** Records the files as a share. Returns how many were new. */
const recordAll: Handler<ToRecord, number> = async (asked, verified, context) => {
  const { files, message, folder } = verified;
  if (files.length === 0) return 0;
  const { team, userId: savedBy } = asked;
  const { ledger, clock, logger, wake } = context;
  const { channel, ts, threadTs, sharedBy: userId } = message;
  const { projectId, folderId } = folder;
  const share = { team, channel, ts, threadTs, userId, files };
  const origin = { origin: 'saved' as const, savedBy, reportId: null };
  const to = { destination: { projectId, folderId }, now: clock.now() };
  const { transfers } = await ledger.recordShare({ share, ...origin, ...to });
  if (transfers === 0) return 0;
  const ids = { team, channel, ts, projectId, folderId, user: savedBy };
  logger.info({ ...ids, files: transfers }, 'Files of a message were saved to a folder');
  wake();
  return transfers;
};

interface SavedTo {
  message: Pick<FilesToSave, 'channel' | 'ts'>;
  folder: FolderRef;
}

/** Returns the transfers of a message's files to a folder, without those that were left in Slack. */
const inFolder: Handler<SavedTo, Transfer[]> = async ({ team }, { message, folder }, context) => {
  const { ledger } = context;
  const shares = await ledger.sharesOf({ ...message, team });
  const all = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  return all
    .flat()
    .filter(({ destination }) => destination && sameDestination(destination, folder))
    .filter(({ state }) => state !== 'parked');
};

// A transfer that the channel's link made may still move to another folder, so it counts only once it
// is in this one. One that was deleted in Slack before it was sent never comes.
function isThere(transfer: Transfer): boolean {
  const { queue, state, problem } = transfer;
  const isLost = state === 'refused' && problem === 'SLACK_FILE_DELETED';
  return isInFolder(transfer) || (isOfSaved(queue) && !isLost);
}

/** Retries the transfers to a folder that failed. */
async function tryAgain(
  known: readonly Transfer[],
  only: FolderRef,
  { ledger, clock, wake }: SurfaceContext,
): Promise<void> {
  const live = known.filter(({ state }) => state !== 'deleted');
  for (const id of new Set(live.map(({ shareId }) => shareId)))
    await ledger.retryShare(id, { only, now: clock.now() });
  if (live.length > 0) wake();
}
