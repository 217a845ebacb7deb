import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { bytesFrom, type Chance, createChance, uuidFrom } from './chance.ts';

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
