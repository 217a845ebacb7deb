import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as a parameter, so that tests can fix it. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** Returns an unguessable, globally unique identifier. */
  id(): string;
}

export const systemRandom: Random = {
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  id: randomUUID,
};
