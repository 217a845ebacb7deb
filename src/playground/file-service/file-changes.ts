import type { Readable } from 'node:stream';
import type { Account, Attachment, Folder, StoredFile } from './account.ts';
import { type AccountChange, dropBytes } from './account-change.ts';
import type { IncomingBytes } from './bytes-folder.ts';

/** A completely received upload. */
interface NewAttachment {
  projectId: number;
  uploaderId: number;
  name: string;
  bytes: IncomingBytes;
}

/** Changes to attachments and files. */
export interface FileChanges {
  /** Stores an upload's bytes. Removes partial bytes if the stream fails or the signal aborts. */
  receive(stream: Readable, signal: AbortSignal): Promise<IncomingBytes>;
  addAttachment(attachment: NewAttachment): Promise<Attachment>;
  /** Creates one file per attachment, all in one change. */
  createFiles(folder: Folder, attachments: readonly Attachment[], creatorId: number): StoredFile[];
  /** Returns false if there is no such file. */
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

// Taken before the bytes are moved, so that concurrent uploads never share an identifier.
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
