import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../../src/base/index.ts';
import { accountReading } from '../../../src/playground/file-service/account-reading.ts';
import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import { applyEffect, type Effect } from '../../../src/playground/file-service/apply-effect.ts';
import type {
  BytesFolder,
  IncomingBytes,
} from '../../../src/playground/file-service/bytes-folder.ts';
import { fileChanges } from '../../../src/playground/file-service/file-changes.ts';
import { folderChanges } from '../../../src/playground/file-service/folder-changes.ts';
import type { Seed } from '../../../src/playground/file-service/index.ts';
import { seedAccount } from '../../../src/playground/file-service/seed-account.ts';

export interface MemoryAccountOptions {
  seed: Seed;
  /** The service's own clock, which may be wrong. */
  clock: Clock;
  /** Called for each change, just after it. */
  onEffect(effect: Effect): void;
}

export interface MemoryAccount extends AccountStore {
  /** Deletes attachments that no file was created from. */
  forgetAttachments(): void;
}

/** Creates the embedded service's account, with its rules, in memory only. */
export function createMemoryAccount({
  seed,
  clock,
  onEffect,
}: MemoryAccountOptions): MemoryAccount {
  const { account } = seedAccount(seed);
  const bytes = memoryBytes();
  const happen = (effect: Effect) => {
    applyEffect(account, effect);
    onEffect(effect);
  };
  return {
    ...accountReading(account, bytes, seed),
    ...fileChanges({ account, bytes, clock, happen }),
    ...folderChanges({ account, bytes, clock, happen }),
    close: () => undefined,
    forgetAttachments: () => {
      for (const id of account.attachments.keys())
        if (!account.usedAttachments.has(id)) account.attachments.delete(id);
    },
  };
}

// A file's content is represented by its hash: no bytes are stored.
function memoryBytes(): BytesFolder {
  return {
    receive,
    place: () => undefined,
    open: () => Readable.from([]),
    remove: () => undefined,
  };
}

async function receive(stream: Readable): Promise<IncomingBytes> {
  const hash = createHash('sha256');
  let byteSize = 0;
  for await (const chunk of stream) {
    byteSize += chunk.length;
    hash.update(chunk);
  }
  const sha256 = hash.digest('hex');
  return { byteSize, sha256, keepAs: async () => undefined, discard: async () => undefined };
}
