import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../../src/base/index.ts';
import { applyEffect, type Effect } from '../../../src/playground/file-service/account.ts';
import {
  type AccountStore,
  createAccountStore,
} from '../../../src/playground/file-service/account-store.ts';
import type { ByteStore, ReceivedBytes } from '../../../src/playground/file-service/byte-store.ts';
import { type Seed, seedAccount } from '../../../src/playground/file-service/seed.ts';

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
  const commit = (effect: Effect) => {
    applyEffect(account, effect);
    onEffect(effect);
  };
  return {
    ...createAccountStore({ account, bytes: memoryBytes(), clock, commit }),
    forgetAttachments: () => {
      for (const id of account.attachments.keys())
        if (!account.usedAttachments.has(id)) account.attachments.delete(id);
    },
  };
}

// A file's content is represented by its hash: no bytes are stored.
function memoryBytes(): ByteStore {
  return {
    receive,
    place: () => undefined,
    open: () => Readable.from([]),
    remove: () => undefined,
  };
}

async function receive(stream: Readable): Promise<ReceivedBytes> {
  const hash = createHash('sha256');
  let byteSize = 0;
  for await (const chunk of stream) {
    byteSize += chunk.length;
    hash.update(chunk);
  }
  const sha256 = hash.digest('hex');
  return { byteSize, sha256, keepAs: async () => undefined, discard: async () => undefined };
}
