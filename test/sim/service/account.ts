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
import type { Seed, SeedFile } from '../../../src/playground/file-service/index.ts';
import { seedAccount } from '../../../src/playground/file-service/seed-account.ts';
import { START_TIME } from '../kernel/virtual-time.ts';

export const ACCOUNT_URL = 'https://acme.files.example/acme';
/** The app's API key, and the person whom it belongs to. */
export const APP_KEY = 'key-of-the-app';
export const APP_USER = 12009183;
/** Another person in the account. */
export const OTHER_USER = 12009184;
export const PROJECT = 23423235;
/** The folders that channels can be linked to. */
export const FOLDERS = [67811600, 67811601, 67811602] as const;
const HOME = 67811599;

/** The folders' initial names, by number. */
export const FOLDER_NAMES: ReadonlyMap<number, string> = new Map([
  [HOME, 'All files'],
  [FOLDERS[0], 'Contracts'],
  [FOLDERS[1], 'R&D drafts'],
  [FOLDERS[2], 'Photos, summer'],
]);

/** Returns the initial account: each folder holds `otherFiles` files of another person. */
export function accountSeed(otherFiles: number): Seed {
  const folders = [HOME, ...FOLDERS].map((id, index) => ({
    id,
    name: FOLDER_NAMES.get(id) ?? '',
    ...(id === HOME ? {} : { files: filesOfOthers(otherFiles, index * 1_000) }),
  }));
  const maya = { firstName: 'Maya', lastName: 'Lindqvist', email: 'maya@example.com' };
  const tomas = { firstName: 'Tomás', lastName: 'Herrera', email: 'tomas@example.com' };
  const createdAt = START_TIME - 86_400_000;
  return {
    people: [
      { id: APP_USER, ...maya, apiKey: APP_KEY, projects: [PROJECT] },
      { id: OTHER_USER, ...tomas, apiKey: 'key-of-another', projects: [PROJECT] },
    ],
    projects: [
      {
        id: PROJECT,
        title: 'Office move',
        creatorId: APP_USER,
        homeFolderId: HOME,
        createdAt,
        folders,
      },
    ],
  };
}

function filesOfOthers(count: number, firstId: number): SeedFile[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    name: `scan ${index}.pdf`,
    content: `scan ${index}`,
    creatorId: OTHER_USER,
    createdAt: START_TIME - 80_000_000 + index * 1_000,
  }));
}

interface MemoryAccount extends AccountStore {
  /** Deletes attachments that no file was created from. */
  forgetAttachments(): void;
}

/**
 * Creates the embedded service's account, with its rules, in memory only. `clock`: the service's
 * own, which may be wrong; `onEffect`: called for each change, just after it.
 */
export function createMemoryAccount(options: {
  seed: Seed;
  clock: Clock;
  onEffect(effect: Effect): void;
}): MemoryAccount {
  const { seed, clock } = options;
  const { account } = seedAccount(seed);
  const bytes = memoryBytes();
  const happen = (effect: Effect) => {
    applyEffect(account, effect);
    options.onEffect(effect);
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
  return incomingBytes(byteSize, hash.digest('hex'));
}

/** Returns an upload's bytes, of which only the size and the hash matter. */
export function incomingBytes(byteSize: number, sha256: string): IncomingBytes {
  return { byteSize, sha256, keepAs: async () => undefined, discard: async () => undefined };
}
