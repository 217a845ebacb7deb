import { randomBytes, randomUUID } from 'node:crypto';

/** Chance, handed to whatever jitters or names, so that tests can fix it. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** An unguessable identifier, unique for good. */
  id(): string;
}

export const systemRandom: Random = {
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  id: () => randomUUID(),
};
