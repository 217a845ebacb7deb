import { hash } from 'node:crypto';
import { anyRow, atomically } from './run-statements.ts';
import type { Db } from './schema.ts';

/** Longer than any instance accepts a signature: from five minutes before it was made to five after. */
const KEPT_MS = 15 * 60_000;

interface SignedRequest {
  /** Slack's signature of its time and its body; only a hash of it is stored. */
  signature: string;
  /** When it was sent, as it says, in epoch milliseconds. */
  sentAt: number;
}

/** Records a request, and forgets those that are too old. Resolves with whether it is the first. */
export function noteRequest(
  db: Db,
  { signature, sentAt }: SignedRequest,
  now: number,
): Promise<boolean> {
  const request = { signature: hash('sha256', signature, 'base64url'), sentAt };
  return atomically(db, async (trx) => {
    await trx
      .deleteFrom('requests')
      .where('sentAt', '<', now - KEPT_MS)
      .execute();
    const note = trx.insertInto('requests').values(request);
    return anyRow(note.onConflict((conflict) => conflict.doNothing()).returning('sentAt'));
  });
}
