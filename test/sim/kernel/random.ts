import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../../../src/base/index.ts';
import { fractionsFrom } from '../../support/seeded-random.ts';

/** Random values that are the same for the same seed. */
export interface Chance {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  /** Returns one of these; throws if there is none. */
  pick<T>(from: readonly T[]): T;
  /** Returns a random source for one part of the world; its draws do not affect any other part. */
  fork(part: string): Chance;
}

/** Returns random values from a hash of the seed and the part's name. */
export function createChance(seed: number, part = 'world'): Chance {
  const fraction = fractionsFrom(hash(`${seed}/${part}`));
  return {
    fraction,
    whole: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    happens: (probability) => fraction() < probability,
    pick: (from) => pickAt(from, fraction()),
    fork: (name) => createChance(seed, `${part}/${name}`),
  };
}

/** Returns the element at a fraction of the way through the list; throws if the list is empty. */
export function pickAt<T>(from: readonly T[], fraction: number): T {
  const found = from[Math.floor(fraction * from.length)];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
}

/** Returns random numbers and identifiers in the form that the app takes. */
export function randomFrom(chance: Chance): Random {
  return { fraction: chance.fraction, id: () => uuidFrom(bytesFrom(chance, 16)) };
}

/** Returns bytes that look random. */
export function bytesFrom(chance: Chance, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = chance.whole(0, 255);
  return bytes;
}

/** Returns an identifier in the form of a UUID. */
function uuidFrom(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

// FNV-1a with murmur3's final step, so that neighbouring seeds have unrelated hashes.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

let chance: Chance = createChance(0, 'globals');

/**
 * Makes the random values that libraries draw come from a seed: see `drawFrom`. Cannot be undone.
 */
export function tameChance(): void {
  Math.random = () => chance.fraction();
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
    const bytes = bytesFrom(chance, size);
    if (done) done(null, bytes);
    return bytes;
  };
  const randomUUID = () => uuidFrom(bytesFrom(chance, 16));
  Object.assign(crypto, { randomBytes, randomUUID });
  globalThis.crypto.randomUUID = randomUUID as typeof globalThis.crypto.randomUUID;
  syncBuiltinESMExports();
}

/** From now on, libraries draw from `next`. */
export function drawFrom(next: Chance): void {
  chance = next;
}
