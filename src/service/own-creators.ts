import type { FileRecord } from './file-record.ts';

/**
 * Who the service names as the creator of our records, by the key that created them. Nothing in the
 * interface tells whose a key is; the answers to creates do.
 */
export interface OwnCreators {
  learn(apiKey: string, records: readonly FileRecord[]): void;
  of(apiKey: string): ReadonlySet<number>;
}

export function createOwnCreators(): OwnCreators {
  const known = new Map<string, Set<number>>();
  return {
    learn: (apiKey, records) => {
      const own = known.get(apiKey) ?? new Set();
      known.set(apiKey, own);
      for (const { creatorId } of records) if (creatorId !== null) own.add(creatorId);
    },
    of: (apiKey) => new Set(known.get(apiKey)),
  };
}
