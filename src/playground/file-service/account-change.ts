import type { Clock } from '../../base/index.ts';
import type { Account, StoredFile } from './account.ts';
import type { Effect } from './apply-effect.ts';
import type { BytesFolder } from './bytes-folder.ts';

/** What a function needs to change the account. */
export interface AccountChange {
  account: Account;
  bytes: BytesFolder;
  clock: Clock;
  /** Writes an effect to disk, then applies it to the account. */
  happen(effect: Effect): void;
}

/** Removes the bytes of deleted files, except those of an attachment that another file uses. */
export function dropBytes(
  { account, bytes }: Pick<AccountChange, 'account' | 'bytes'>,
  gone: readonly StoredFile[],
): void {
  const unneeded = new Set(gone.map(({ attachmentId }) => attachmentId));
  for (const { attachmentId } of account.files.values()) unneeded.delete(attachmentId);
  for (const attachmentId of unneeded) bytes.remove(attachmentId);
}
