import type { Kysely } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import { holdsPlace } from './holds-place.ts';
import type { Tables } from './schema.ts';
import { shareChanged } from './tellings.ts';
import { type Transfer, toTransfer } from './transfer.ts';

/** The transfers whose create in a folder has no answer, also those that were refused since. */
export async function openCreates(
  db: Kysely<Tables>,
  { projectId, folderId }: Destination,
): Promise<Transfer[]> {
  const rows = await db
    .selectFrom('transfers')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('folderId', '=', folderId)
    .where(holdsPlace)
    .execute();
  return rows.map(toTransfer);
}

/**
 * The record of an open create was seen in its folder: it is filed, and whoever holds its claim
 * loses it. One that was refused goes there over `creating`, as by a Retry, in the same statement.
 * Changes nothing once the create is settled.
 */
export async function markFound(
  db: Kysely<Tables>,
  transferId: number,
  { recordId, now }: { recordId: number; now: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({
        state: 'filed',
        recordId,
        refusedIn: null,
        problem: null,
        problemNote: null,
        failures: 0,
        failingSince: null,
        settledAt: now,
        nextAt: null,
        leaseToken: null,
      })
      .where('id', '=', transferId)
      .where(holdsPlace)
      .returning('shareId')
      .executeTakeFirst();
    if (row) await shareChanged(trx, row.shareId, now);
  });
}
