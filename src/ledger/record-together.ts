import { setImmediate as turnEnds } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Recorded, recordShare, recordShareIn, type ShareToRecord } from './record-share.ts';
import type { Tables } from './schema.ts';

interface Waiting {
  input: ShareToRecord;
  resolve(recorded: Recorded): void;
  reject(error: unknown): void;
}

/**
 * Records shares as `recordShare` does, those that come in one turn of the event loop in one
 * transaction: a commit waits for the disk, and a burst then waits for it once. When the transaction
 * fails each is recorded by itself, so that one that cannot be recorded fails alone.
 */
export function recordTogether(db: Kysely<Tables>): (input: ShareToRecord) => Promise<Recorded> {
  let waiting: Waiting[] = [];

  async function commit(): Promise<void> {
    await turnEnds();
    const together = waiting;
    waiting = [];
    try {
      const recorded = await recordAll(db, together);
      recorded.forEach((one, index) => void together[index]?.resolve(one));
    } catch {
      for (const { input, resolve, reject } of together)
        await recordShare(db, input).then(resolve, reject);
    }
  }

  return (input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Recorded>();
    if (waiting.push({ input, resolve, reject }) === 1) void commit();
    return promise;
  };
}

function recordAll(db: Kysely<Tables>, together: readonly Waiting[]): Promise<Recorded[]> {
  return db.transaction().execute(async (trx) => {
    const recorded: Recorded[] = [];
    for (const { input } of together) recorded.push(await recordShareIn(trx, input));
    return recorded;
  });
}
