import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { Account } from './account.ts';
import { type AccountReading, accountReading } from './account-reading.ts';
import { applyEffect, type Effect } from './apply-effect.ts';
import { type BytesFolder, openBytesFolder } from './bytes-folder.ts';
import { openEffectLog } from './effect-log.ts';
import { type FileChanges, fileChanges } from './file-changes.ts';
import { type FolderChanges, folderChanges } from './folder-changes.ts';
import type { Seed } from './seed.ts';
import { seedAccount } from './seed-account.ts';

interface AccountStoreOptions {
  /** Holds the bytes and the log of changes. */
  dataDir: string;
  seed: Seed;
  clock: Clock;
  /** Whether uploads are only hashed and counted, and their bytes not stored. */
  discardBytes: boolean;
}

/**
 * What the account holds, for the service, the page and tests. Calls here need no key and are
 * subject to no rights and no rate limit. A change is on disk when its call returns or resolves.
 */
export interface AccountStore extends AccountReading, FileChanges, FolderChanges {
  close(): void;
}

/**
 * Opens the account stored in `dataDir`, or creates it from the seed. Later starts must pass the
 * same seed: the disk holds only the changes since.
 */
export function openAccountStore(options: AccountStoreOptions): AccountStore {
  const { dataDir, seed, clock, discardBytes } = options;
  mkdirSync(dataDir, { recursive: true });
  const log = openEffectLog(join(dataDir, 'effects.jsonl'));
  const bytes = openBytesFolder(dataDir, discardBytes);
  const { account, contents } = seedAccount(seed);
  for (const effect of log.past) applyEffect(account, effect);
  placeContents(account, bytes, contents);
  const happen = (effect: Effect) => {
    log.append(effect);
    applyEffect(account, effect);
  };
  return {
    ...accountReading(account, bytes, seed),
    ...fileChanges({ account, bytes, clock, happen }),
    ...folderChanges({ account, bytes, clock, happen }),
    close: () => log.close(),
  };
}

function placeContents(account: Account, bytes: BytesFolder, contents: Map<number, Buffer>): void {
  for (const { attachmentId } of account.files.values()) {
    const content = contents.get(attachmentId);
    if (content) bytes.place(attachmentId, content);
  }
}
