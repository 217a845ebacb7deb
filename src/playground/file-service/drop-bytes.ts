import type { Account, StoredFile } from './account.ts';
import type { BytesFolder } from './bytes-folder.ts';

/** Removes the bytes of deleted files, except those of an attachment that another file uses. */
export function dropBytes(
  { account, bytes }: { account: Account; bytes: BytesFolder },
  gone: readonly StoredFile[],
): void {
  const unneeded = new Set(gone.map(({ attachmentId }) => attachmentId));
  for (const { attachmentId } of account.files.values()) unneeded.delete(attachmentId);
  for (const attachmentId of unneeded) bytes.remove(attachmentId);
}
