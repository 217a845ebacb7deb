import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../../../src/base/index.ts';
import { fractionsFrom } from '../../support/seeded-random.ts';

/** A random source whose values are the same for the same seed. */
export interface Rng {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** Returns one of these; throws if there is none. */
  pick<T>(from: readonly T[]): T;
  /**
   * Returns a random source whose draws do not affect any other. Its name is part of the seed: with
   * another name, every seed gives another world.
   */
  fork(name: string): Rng;
}

/** Returns random values from a hash of the seed and the source's name. */
export function createRng(seed: number, name = 'world'): Rng {
  const fraction = fractionsFrom(hash(`${seed}/${name}`));
  return {
    fraction,
    int: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    chance: (probability) => fraction() < probability,
    pick: (from) => pickAt(from, fraction()),
    fork: (fork) => createRng(seed, `${name}/${fork}`),
  };
}

/** Returns the element at a fraction of the way through the list; throws if the list is empty. */
export function pickAt<T>(from: readonly T[], fraction: number): T {
  const found = from[Math.floor(fraction * from.length)];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
}

/** Returns random numbers and identifiers in the form that the app takes. */
export function appRandom(rng: Rng): Random {
  return { fraction: rng.fraction, id: () => uuidFrom(bytesFrom(rng, 16)) };
}

export function bytesFrom(rng: Rng, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => rng.int(0, 255)));
}

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

let globalRng = createRng(0, 'globals');

/** Makes the random values that libraries draw come from a seed; cannot be undone. */
export function seedGlobals(): void {
  Math.random = () => globalRng.fraction();
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
    const bytes = bytesFrom(globalRng, size);
    if (done) done(null, bytes);
    return bytes;
  };
  const randomUUID = () => uuidFrom(bytesFrom(globalRng, 16));
  Object.assign(crypto, { randomBytes, randomUUID });
  globalThis.crypto.randomUUID = randomUUID as typeof globalThis.crypto.randomUUID;
  syncBuiltinESMExports();
}

/** From now on, libraries draw from `rng`. */
export function setGlobalRng(rng: Rng): void {
  globalRng = rng;
}
