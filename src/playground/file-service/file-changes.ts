import type { Readable } from 'node:stream';
import type { Account, Attachment, Folder, StoredFile } from './account.ts';
import type { AccountChange } from './account-change.ts';
import type { IncomingBytes } from './bytes-folder.ts';
import { dropBytes } from './drop-bytes.ts';

/** An upload that has come in whole. */
export interface NewAttachment {
  projectId: number;
  uploaderId: number;
  name: string;
  bytes: IncomingBytes;
}

/** What may be done to attachments and files. */
export interface FileChanges {
  /** Takes an upload's bytes in; what came of a stream that fails or is aborted is removed. */
  receive(stream: Readable, signal: AbortSignal): Promise<IncomingBytes>;
  addAttachment(attachment: NewAttachment): Promise<Attachment>;
  /** One file for each attachment, all of them at once. */
  createFiles(folder: Folder, attachments: readonly Attachment[], creatorId: number): StoredFile[];
  /** False when there is no such file. */
  deleteFile(fileId: number): boolean;
}

export function fileChanges(change: AccountChange): FileChanges {
  return {
    receive: change.bytes.receive,
    addAttachment: (attachment) => addAttachment(change, attachment),
    createFiles: (folder, attachments, creatorId) => {
      const { account, clock } = change;
      const firstId = account.lastId.file + 1;
      const files = attachments.map((attachment, index) =>
        fileOf(attachment, { id: firstId + index, folder, creatorId, now: clock.now() }),
      );
      change.happen({ type: 'files-created', files });
      return files;
    },
    deleteFile: (fileId) => {
      const file = change.account.files.get(fileId);
      if (!file) return false;
      change.happen({ type: 'file-deleted', fileId });
      dropBytes(change, [file]);
      return true;
    },
  };
}

async function addAttachment(
  { account, clock, happen }: AccountChange,
  { bytes, ...told }: NewAttachment,
): Promise<Attachment> {
  const { byteSize, sha256 } = bytes;
  const id = takeAttachmentId(account);
  // The bytes come first: a crash in between leaves bytes without an attachment, never the reverse.
  await bytes.keepAs(id);
  const attachment = { id, ...told, byteSize, sha256, uploadedAt: clock.now() };
  happen({ type: 'attachment-uploaded', attachment });
  return attachment;
}

// Taken before the bytes are moved, so that uploads that end together do not share an identifier.
function takeAttachmentId(account: Account): number {
  account.lastId.attachment += 1;
  return account.lastId.attachment;
}

function fileOf(
  attachment: Attachment,
  facts: { id: number; folder: Folder; creatorId: number; now: number },
): StoredFile {
  const { id: attachmentId, name, byteSize, sha256 } = attachment;
  const { id, folder, creatorId, now } = facts;
  return {
    id,
    projectId: folder.projectId,
    folderId: folder.id,
    attachmentId,
    name,
    byteSize,
    sha256,
    creatorId,
    createdAt: now,
    updatedAt: now,
    approvedBy: [],
    proofCount: 0,
  };
}
