import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { applyEffect, type Effect } from './account.ts';
import { type AccountStore, createAccountStore } from './account-store.ts';
import { openByteStore } from './byte-store.ts';
import { type Seed, seedAccount } from './seed.ts';

interface AccountOptions {
  /** Holds the bytes and the log of effects. */
  dataDir: string;
  seed: Seed;
  clock: Clock;
  /** Whether uploads are only hashed and counted, and their bytes not stored. */
  discardBytes: boolean;
}

/**
 * Opens the account stored in `dataDir`, or creates it from the seed. Later starts must pass the
 * same seed: the disk holds only the effects since. An effect is on disk before it is applied, so
 * that it survives a killed process.
 */
export function openAccount(options: AccountOptions): AccountStore & { close(): void } {
  const { dataDir, seed, clock, discardBytes } = options;
  mkdirSync(dataDir, { recursive: true });
  const logPath = join(dataDir, 'effects.jsonl');
  const bytes = openByteStore(dataDir, discardBytes);
  const { account, contents } = seedAccount(seed);
  for (const effect of readEffects(logPath)) applyEffect(account, effect);
  for (const { attachmentId } of account.files.values()) {
    const content = contents.get(attachmentId);
    if (content) bytes.place(attachmentId, content);
  }
  const log = openSync(logPath, 'a');
  const commit = (effect: Effect) => {
    writeSync(log, `${JSON.stringify(effect)}\n`);
    applyEffect(account, effect);
  };
  return {
    ...createAccountStore({ account, bytes, clock, commit }),
    close: () => closeSync(log),
  };
}

/** Reads the log, one effect a line. Cuts off a last line that a crash left incomplete. */
function readEffects(path: string): Effect[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path);
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) truncateSync(path, end);
  const lines = text.subarray(0, end).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): Effect => JSON.parse(line));
}
