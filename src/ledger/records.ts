import type { Kysely } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import { atomically } from './atomically.ts';
import type { ChannelRef } from './channels.ts';
import { chunks } from './chunks.ts';
import type { Tables } from './schema.ts';
import { shareChanged } from './tellings.ts';
import { type Transfer, toTransfer } from './transfer.ts';

/** Which of a folder's records transfers hold, deleted ones too. */
export async function claimedRecords(
  db: Kysely<Tables>,
  { projectId, folderId }: Destination,
  recordIds: number[],
): Promise<Set<number>> {
  const claimed = new Set<number>();
  for (const some of chunks(recordIds, 500)) {
    const rows = await db
      .selectFrom('transfers')
      .select('recordId')
      .where('projectId', '=', projectId)
      .where('folderId', '=', folderId)
      .where('recordId', 'in', some)
      .execute();
    for (const { recordId } of rows) if (recordId !== null) claimed.add(recordId);
  }
  return claimed;
}

/** The records of a folder that hold what was shared in one channel, deleted ones too. */
export async function recordsOfChannel(
  db: Kysely<Tables>,
  { team, channel }: ChannelRef,
  { projectId, folderId }: Destination,
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('shares')
    .innerJoin('transfers', 'transfers.shareId', 'shares.id')
    .select('transfers.recordId')
    .where('shares.team', '=', team)
    .where('shares.channel', '=', channel)
    .where('transfers.projectId', '=', projectId)
    .where('transfers.folderId', '=', folderId)
    .where('transfers.recordId', 'is not', null)
    .execute();
  return new Set(rows.flatMap((row) => row.recordId ?? []));
}

/** The transfer that filed a record, or null when Pigeonhole did not file it. */
export async function transferOfRecord(
  db: Kysely<Tables>,
  { projectId, folderId }: Destination,
  recordId: number,
): Promise<Transfer | null> {
  const row = await db
    .selectFrom('transfers')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('folderId', '=', folderId)
    .where('recordId', '=', recordId)
    .executeTakeFirst();
  return row ? toTransfer(row) : null;
}

/** A filed transfer's record was deleted by somebody. Deleting it twice changes nothing. */
export async function markDeleted(
  db: Kysely<Tables>,
  transferId: number,
  { deletedBy, now }: { deletedBy: string; now: number },
): Promise<void> {
  await atomically(db, async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ state: 'deleted', deletedBy })
      .where('id', '=', transferId)
      .where('state', '=', 'filed')
      .returning('shareId')
      .executeTakeFirst();
    if (row) await shareChanged(trx, row.shareId, now);
  });
}

/** What the ledger knows of a record that Pigeonhole filed. */
export interface FiledRecord {
  /** Who shared it; null when Slack did not say. */
  userId: string | null;
  /** The name that it was filed under. */
  name: string;
}

/** Records by their identifier; those that Pigeonhole did not file are absent. */
export async function filedRecords(
  db: Kysely<Tables>,
  { projectId, folderId }: Destination,
  recordIds: number[],
): Promise<Map<number, FiledRecord>> {
  if (recordIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('transfers')
    .select(['recordId', 'userId', 'name'])
    .where('projectId', '=', projectId)
    .where('folderId', '=', folderId)
    .where('recordId', 'in', recordIds)
    .execute();
  return new Map(
    rows.flatMap(({ recordId, ...filed }) =>
      recordId === null ? [] : [[recordId, filed] as const],
    ),
  );
}
