import type { App } from '@slack/bolt';
import {
  type FolderPick,
  type FolderWish,
  filesToSave,
  folderPick,
  type Modal,
  NOTHING_CHOSEN,
  readSaveForm,
  SAVE_MODAL,
  type SaveForm,
  saveChecking,
  saveDone,
  saveModal,
  saveNotOpened,
  saveRefused,
  saveWishOf,
  tooManyToSave,
  withoutFiles,
} from '../blocks/index.ts';
import { type FolderRef, type Share, sameDestination, verdictOn } from '../transfers/index.ts';
import { type Asked, type Handler, readerOf } from './answer.ts';
import { listenForFolderUse, listProjects, openForm } from './folder-form.ts';
import type { ListenerContext } from './listener-context.ts';
import { saveFiles } from './save-files.ts';
import { nameFolder } from './show-files.ts';

/**
 * Opens the form that saves the files of a message to a folder, for somebody who may: with the folders
 * that they most likely want by number, and then by name. `share` null: the message has no files.
 */
export const openSaveModal: Handler<Share | null> = async (asked, share, context) => {
  if (!share) return withoutFiles();
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed') return saveRefused({ ...readerOf(asked), reason });
  const message = filesToSave(share);
  if (!message) return tooManyToSave({ count: share.files.length });
  const likely = await likelyFolders(asked, context);
  const picks = likely.map(({ why, folder }) => folderPick(why, folder));
  const form = { ...NOTHING_CHOSEN, message, picks, picked: null };
  const first = saveModal({ ...form, problem: null });
  const prepared = () => prepare({ asked, form, likely }, context);
  return (await openForm(asked, { first, prepare: prepared }, context)) ? null : saveNotOpened();
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
      likely.map(async ({ why, folder }) => folderPick(why, await nameFolder(folder, context))),
    ),
  ]);
  // Null alone says that the account lists none: what failed may be there the next time.
  return saveModal({ ...form, picks, isListed: projects !== null, problem: null });
}

/** The form that saves the files of a message to a folder. */
export function listenForSaveModal(app: App, context: ListenerContext): void {
  const use = {
    ...{ callbackId: SAVE_MODAL, doing: 'save' as const, read: readSaveForm },
    show: saveModal,
    channelOf: ({ message }: SaveForm) => message.channel,
    wishOf: saveWishOf,
    use: (asked: Asked, { message }: SaveForm, wish: FolderWish) =>
      saveFiles(asked, { message, typed: 'typed' in wish ? wish.typed : '' }, context),
    checking: saveChecking,
    done: saveDone,
  };
  listenForFolderUse(app, use, context);
}
