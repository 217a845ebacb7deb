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

export interface AccountStoreOptions {
  /** Bytes and the log of changes are kept here. */
  dataDir: string;
  seed: Seed;
  clock: Clock;
  /** Uploads are hashed and counted, their bytes not kept. */
  discardBytes: boolean;
}

/**
 * What the account holds, for the service, the page and tests. Changes made here are made by
 * nobody: no key, no rights, no rate limit. Each is on disk when its call returns.
 */
export interface AccountStore extends AccountReading, FileChanges, FolderChanges {
  close(): void;
}

/**
 * Opens the account kept in `dataDir`, or begins one from the seed. A later start takes the same
 * seed: the changes on disk are told from there.
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
