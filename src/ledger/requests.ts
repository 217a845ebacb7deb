import { hash } from 'node:crypto';
import { anyRow, atomically } from './run-statements.ts';
import type { Db } from './schema.ts';

/** Longer than any instance accepts a signature: from five minutes before it was made to five after. */
const KEPT_MS = 15 * 60_000;

interface SignedRequest {
  /** Slack's signature of its time and its body, or what else tells it apart; stored as a hash. */
  signature: string;
  /** When it was sent, as it says, in epoch milliseconds. */
  sentAt: number;
}

/** Forgets a request that had no effect, so that it counts as the first again. */
export async function dropRequest(
  db: Db,
  { signature }: Pick<SignedRequest, 'signature'>,
): Promise<void> {
  await db.deleteFrom('requests').where('signature', '=', keyOf(signature)).execute();
}

function keyOf(signature: string): string {
  return hash('sha256', signature, 'base64url');
}

/** Records a request, and forgets those that are too old. Resolves with whether it is the first. */
export function noteRequest(
  db: Db,
  { signature, sentAt }: SignedRequest,
  now: number,
): Promise<boolean> {
  const request = { signature: keyOf(signature), sentAt };
  return atomically(db, async (trx) => {
    await trx
      .deleteFrom('requests')
      .where('sentAt', '<', now - KEPT_MS)
      .execute();
    const note = trx.insertInto('requests').values(request);
    return anyRow(note.onConflict((conflict) => conflict.doNothing()).returning('sentAt'));
  });
}
