import type { App } from '@slack/bolt';
import type { FolderPick, FolderRequest, Modal, SaveForm } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type FolderRef, type Share, sameDestination, verdictOn } from '../transfers/index.ts';
import { type Asked, type Handler, readerOf } from './answer.ts';
import { listenForFolderUse, listProjects, openForm } from './folder-form.ts';
import type { ListenerContext } from './listener-context.ts';
import { saveFiles } from './save-files.ts';
import { nameFolder } from './show-files.ts';

/**
 * Opens the form that saves the files of a message to a folder, if the person may. It offers the
 * likeliest folders, first by number, later by name. A `share` of null: the message has no files.
 */
export const openSaveModal: Handler<Share | null> = async (asked, share, context) => {
  if (!share) return views.withoutFiles();
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed') return views.saveRefused({ ...readerOf(asked), reason });
  const message = views.filesToSave(share);
  if (!message) return views.tooManyToSave({ count: share.files.length });
  const likely = await likelyFolders(asked, context);
  const picks = likely.map(({ why, folder }) => views.folderPick(why, folder));
  const form = { ...views.NOTHING_CHOSEN, message, picks, picked: null };
  const first = views.saveModal(form);
  const prepared = () => prepare({ asked, form, likely }, context);
  return (await openForm(asked, { first, prepare: prepared }, context))
    ? null
    : views.saveNotOpened();
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

interface ToPrepare {
  asked: Asked;
  form: SaveForm;
  likely: readonly LikelyFolder[];
}

async function prepare(
  { asked, form, likely }: ToPrepare,
  context: ListenerContext,
): Promise<Modal> {
  const [projects, picks] = await Promise.all([
    listProjects(asked, context).catch(() => undefined),
    Promise.all(
      likely.map(async ({ why, folder }) =>
        views.folderPick(why, await nameFolder(folder, context)),
      ),
    ),
  ]);
  // Only null means that the account lists no projects; a failed request may succeed next time.
  return views.saveModal({ ...form, picks, isListed: projects !== null });
}

/** Handles the form that saves the files of a message to a folder. */
export function listenForSaveModal(app: App, context: ListenerContext): void {
  const use = {
    ...{ callbackId: views.SAVE_MODAL, doing: 'save' as const, read: views.readSaveForm },
    show: views.saveModal,
    channelOf: ({ message }: SaveForm) => message.channel,
    requestOf: views.saveRequestOf,
    use: (asked: Asked, { message }: SaveForm, wish: FolderRequest) =>
      saveFiles(asked, { message, typed: 'typed' in wish ? wish.typed : '' }, context),
    checking: views.saveChecking,
    done: views.saveDone,
  };
  listenForFolderUse(app, use, context);
}
