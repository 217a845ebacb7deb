import type { App } from '@slack/bolt';
import type {
  FilesToSave,
  FolderPick,
  FolderRequest,
  Line,
  SaveForm,
  SaveRefusal,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { assessFile, SlackFileError } from '../slack/index.ts';
import {
  type FolderRef,
  isInFolder,
  isOfSaved,
  type Share,
  type SharedFile,
  sameDestination,
  verdictOn,
} from '../transfers/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf } from './answer.ts';
import { listenForFolderUse, listProjects, openForm } from './folder-form.ts';
import type { ListenerContext } from './listener-context.ts';
import { findUsable } from './resolve-folder.ts';

/**
 * Opens the form that saves the files of a message to a folder, if the person may. It offers the
 * likeliest folders, first by number, later by name. A `share` of null: the message has no files.
 */
export const openSaveModal: Handler<Share | null> = async (asked, share, context) => {
  if (!share) return views.WITHOUT_FILES;
  const reason = verdictOn(asked, 'link-channel');
  const count = share.files.length;
  if (reason !== 'allowed') return views.saveRefused({ ...readerOf(asked), reason, count });
  const message = views.filesToSave(share);
  if (!message) return views.tooManyToSave({ count });
  const likely = await likelyFolders(asked, context);
  const picks = likely.map(({ why, folder }) => views.folderPick(why, folder));
  const place = { ...message, channelName: null, isElsewhere: false };
  const form = { ...views.NOTHING_CHOSEN, ...place, picks, picked: null };
  const prepare = async () => {
    const named = likely.map(async ({ why, folder }) =>
      views.folderPick(why, await context.names.nameFolder(folder)),
    );
    const [{ isListed }, ...picks] = await Promise.all([listProjects(asked, context), ...named]);
    return views.SAVE_FORM.show({ ...form, picks, isListed });
  };
  const opened = { first: views.SAVE_FORM.show(form), prepare, notOpened: views.SAVE_NOT_OPENED };
  return openForm(asked, opened, context);
};

interface LikelyFolder {
  why: FolderPick['why'];
  folder: FolderRef;
}

async function likelyFolders(
  asked: Asked,
  { ledger, findDestination }: ListenerContext,
): Promise<LikelyFolder[]> {
  const [last, own] = await Promise.all([ledger.lastSavedTo(asked), findDestination(asked)]);
  const channel = own && { why: 'channel' as const, folder: own };
  if (!last) return channel ? [channel] : [];
  if (own && sameDestination(last, own)) return [{ why: 'last', folder: own }];
  const folder = { ...last, projectTitle: null, folderName: null };
  return [{ why: 'last', folder }, ...(channel ? [channel] : [])];
}

/** Handles the form that saves the files of a message to a folder. */
export function listenForSaveModal(app: App, context: ListenerContext): void {
  const use = {
    ...{ kind: views.SAVE_FORM, doing: 'save' as const },
    perform: (asked: Asked, message: SaveForm, request: FolderRequest) =>
      saveFiles(asked, { message, typed: 'typed' in request ? request.typed : '' }, context),
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
    why: views.saveRefusal({ ...readerOf(asked), reason, count: message.files.length }),
  });
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return refused(verdict);
  const folder = await findUsable(asked, typed, context);
  if ('reason' in folder) return { why: views.linkRefusal({ ...readerOf(asked), ...folder }) };
  const files = await filesOf(message, context);
  if (!Array.isArray(files)) return refused(files);
  return record(asked, { message, files, folder }, context);
};

/** The most files to look up before recording; people can share no more in one Slack message. */
const MAX_ASKED = 10;

// Slack gives a bot only the files of conversations that it is in.
async function filesOf(
  { files }: FilesToSave,
  { workspace }: ListenerContext,
): Promise<SharedFile[] | 'unreadable' | 'deleted'> {
  const stubs = files.map(stub);
  const asked = stubs.slice(0, MAX_ASKED);
  const found = await Promise.allSettled(asked.map((file) => workspace.fileInfo(file)));
  const refusals = found.map((one) =>
    one.status === 'rejected' ? one.reason : assessFile(one.value),
  );
  const are = (...codes: string[]) =>
    refusals.every((one) => one instanceof SlackFileError && codes.includes(one.code));
  if (are('SLACK_FILE_DELETED')) return 'deleted';
  if (are('SLACK_FILE_NOT_FOUND', 'SLACK_FILE_DENIED', 'SLACK_FILE_DELETED')) return 'unreadable';
  return stubs.map((file, nth) => {
    const known = found[nth];
    // The worker takes the attachments of an email from Slack too.
    const isWhole = known?.status === 'fulfilled' && known.value.mode !== 'email';
    return isWhole ? known.value : file;
  });
}

// A file without details: the worker gets them from Slack when it uploads the file.
function stub(id: string): SharedFile {
  return {
    ...{ id, name: null, title: null, mimetype: null, filetype: null, size: null, mode: null },
    ...{ isExternal: false, fileAccess: 'check_file_info', url: null, uploader: null },
  };
}

interface Verified {
  message: FilesToSave;
  files: SharedFile[];
  folder: FolderRef;
}

async function record(asked: Asked, verified: Verified, context: ListenerContext): Promise<Saved> {
  const { message, folder } = verified;
  const missing = await notThere(asked, verified, context);
  const count = await recordAll(asked, { ...verified, files: missing }, context);
  if (count > 0) return { said: (elsewhere) => views.saving({ count, folder, elsewhere }) };
  // The same form, submitted twice at once, may have recorded them in the meantime.
  const left = missing.length === 0 ? [] : await notThere(asked, verified, context);
  const all = message.files.length;
  return left.length === 0
    ? { said: (elsewhere) => views.alreadySaved({ count: all, folder, elsewhere }) }
    : { why: views.saveRefusal({ ...readerOf(asked), reason: 'left', count: left.length }) };
}

/** Records the files as a share. Returns how many were new. */
const recordAll: Handler<Verified, number> = async (asked, verified, context) => {
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

// Returns the files that are neither in the folder nor already being saved to it, and retries the
// transfers to it that failed. A transfer that the channel's link made may still move to another
// folder, so it counts only once it is in this one.
const notThere: Handler<Verified, SharedFile[]> = async (asked, verified, context) => {
  const { message, files, folder } = verified;
  const { ledger, clock, wake } = context;
  const shares = await ledger.sharesOf({ ...message, team: asked.team });
  const all = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const toFolder = all
    .flat()
    .filter(({ destination }) => destination && sameDestination(destination, folder))
    .filter(({ state }) => state !== 'parked' && state !== 'deleted');
  for (const id of new Set(toFolder.map(({ shareId }) => shareId)))
    await ledger.retryShare(id, { now: clock.now() });
  if (toFolder.length > 0) wake();
  const there = toFolder.filter((one) => isOfSaved(one.queue) || isInFolder(one));
  return files.filter(({ id }) => !there.some(({ file }) => file.id === id));
};
