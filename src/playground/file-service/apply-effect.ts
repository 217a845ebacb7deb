import type { Account, Attachment, Folder, StoredFile } from './account.ts';

/** One change of the account, as stored on disk. */
export type Effect =
  | { type: 'attachment-uploaded'; attachment: Attachment }
  | { type: 'files-created'; files: StoredFile[] }
  | { type: 'file-deleted'; fileId: number }
  | { type: 'folder-created'; folder: Folder }
  | { type: 'folder-renamed'; folderId: number; name: string; at: number }
  | { type: 'folders-deleted'; folderIds: number[] };

/** Applies an effect to the account. An effect on something that does not exist does nothing. */
export function applyEffect(account: Account, effect: Effect): void {
  switch (effect.type) {
    case 'attachment-uploaded':
      addAttachment(account, effect.attachment);
      break;
    case 'files-created':
      for (const file of effect.files) addFile(account, file);
      break;
    case 'file-deleted':
      removeFile(account, effect.fileId);
      break;
    case 'folder-created':
      addFolder(account, effect.folder);
      break;
    case 'folder-renamed':
      renameFolder(account, effect);
      break;
    case 'folders-deleted':
      for (const folderId of effect.folderIds) removeFolder(account, folderId);
  }
}

function addAttachment(account: Account, attachment: Attachment): void {
  account.attachments.set(attachment.id, attachment);
  account.lastId.attachment = Math.max(account.lastId.attachment, attachment.id);
}

function addFile(account: Account, file: StoredFile): void {
  account.files.set(file.id, file);
  account.usedAttachments.add(file.attachmentId);
  account.lastId.file = Math.max(account.lastId.file, file.id);
  const shown = account.filesByFolder.get(file.folderId);
  if (shown) shown.add(file);
  else account.filesByFolder.set(file.folderId, new Set([file]));
}

function removeFile(account: Account, fileId: number): void {
  const file = account.files.get(fileId);
  if (!file) return;
  account.files.delete(fileId);
  account.filesByFolder.get(file.folderId)?.delete(file);
}

function addFolder(account: Account, folder: Folder): void {
  account.folders.set(folder.id, folder);
  account.lastId.folder = Math.max(account.lastId.folder, folder.id);
}

function renameFolder(
  account: Account,
  { folderId, name, at }: { folderId: number; name: string; at: number },
): void {
  const folder = account.folders.get(folderId);
  if (folder) account.folders.set(folderId, { ...folder, name, updatedAt: at });
}

function removeFolder(account: Account, folderId: number): void {
  for (const file of account.filesByFolder.get(folderId) ?? []) removeFile(account, file.id);
  account.filesByFolder.delete(folderId);
  account.folders.delete(folderId);
}
