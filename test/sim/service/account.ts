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
import { BEGINNING } from '../kernel/virtual-time.ts';

/** The app's API key. */
export const OUR_KEY = 'key-of-the-app';
/** The person whom that key belongs to. */
export const OUR_PERSON = 12009183;
/** The key of another person in the account. */
const STRANGER_KEY = 'key-of-a-stranger';
export const STRANGER = 12009184;
export const PROJECT = 23423235;
/** The folders that channels can be linked to. */
export const FOLDERS = [67811600, 67811601, 67811602] as const;
const HOME = 67811599;

const NAMES = ['Contracts', 'R&D drafts', 'Photos, summer'];

/** The folders' initial names, by number. */
export const FIRST_NAMES: ReadonlyMap<number, string> = new Map([
  [HOME, 'All files'],
  ...FOLDERS.map((id, index) => [id, NAMES[index] ?? String(id)] as const),
]);

/** Returns the initial account: each folder holds `crowd` files of another person. */
export const accountSeed = (crowd: number): Seed => ({
  people: [
    {
      id: OUR_PERSON,
      firstName: 'Maya',
      lastName: 'Lindqvist',
      email: 'maya@example.com',
      apiKey: OUR_KEY,
      projects: [PROJECT],
    },
    {
      id: STRANGER,
      firstName: 'Tomás',
      lastName: 'Herrera',
      email: 'tomas@example.com',
      apiKey: STRANGER_KEY,
      projects: [PROJECT],
    },
  ],
  projects: [
    {
      id: PROJECT,
      title: 'Office move',
      creatorId: OUR_PERSON,
      homeFolderId: HOME,
      createdAt: BEGINNING - 86_400_000,
      folders: [
        { id: HOME, name: FIRST_NAMES.get(HOME) ?? '' },
        ...FOLDERS.map((id, index) => ({
          id,
          name: FIRST_NAMES.get(id) ?? '',
          files: crowdOf(crowd, (index + 1) * 1_000),
        })),
      ],
    },
  ],
});

function crowdOf(count: number, firstId: number): SeedFile[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    name: `scan ${index}.pdf`,
    content: `scan ${index}`,
    creatorId: STRANGER,
    createdAt: BEGINNING - 80_000_000 + index * 1_000,
  }));
}

interface MemoryAccountOptions {
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
