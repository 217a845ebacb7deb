import { type NotNull, sql } from 'kysely';
import type { Destination, MessageRef } from '../transfers/index.ts';
import { reopenDeletions } from './deletions.ts';
import { shareChanged } from './notifications.ts';
import { inChunks } from './rows.ts';
import type { Db } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { type FiledAs, filed, type Problem, refused } from './steps.ts';
import { holdsPlace, recordUnknown, type Transfer, toTransfer, wakeTwins } from './transfer.ts';

/** The records of a folder that hold what was shared in some channels of a workspace, deleted ones too. */
export async function recordsOfChannels(
  db: Db,
  { team, channels }: { team: string; channels: readonly string[] },
  { projectId, folderId }: Destination,
): Promise<Set<number>> {
  const rows = await inChunks(channels, (some) =>
    db
      .selectFrom('shares')
      .innerJoin('transfers', 'transfers.shareId', 'shares.id')
      .select('transfers.recordId')
      .where((eb) => eb.and([eb('team', '=', team), eb('channel', 'in', some)]))
      // Not from the folder's side: others may have filed far more there.
      .where(sql<boolean>`(+project_id = ${projectId} and +folder_id = ${folderId})`)
      .where('transfers.recordId', 'is not', null)
      .execute(),
  );
  return new Set(rows.flatMap((row) => row.recordId ?? []));
}

/** The transfer that filed a record, or null when Pigeonhole did not file it. */
export async function transferOfRecord(
  db: Db,
  folder: Destination,
  recordId: number,
): Promise<Transfer | null> {
  const row = await inFolder(db, folder).where('recordId', '=', recordId).executeTakeFirst();
  return row ? toTransfer(row) : null;
}

/**
 * A filed transfer's record is deleted; `deletedBy` null: it was gone already. Returns the message
 * that shared it; null when it was marked before, which changes nothing.
 */
export async function markDeleted(
  db: Db,
  transferId: number,
  { deletedBy, now }: { deletedBy: string | null; now: number },
): Promise<MessageRef | null> {
  return atomically(db, async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ state: 'deleted', deletedBy })
      .where((eb) => eb.and({ id: transferId, state: 'filed' }))
      .returning('shareId')
      .executeTakeFirst();
    return row ? shareChanged(trx, row.shareId, now) : null;
  });
}

/** What the ledger knows of a record that Pigeonhole filed. */
export interface FiledRecord {
  /** Who shared it; null when Slack did not say. */
  userId: string | null;
  /** The name that it was filed under. */
  name: string;
  /** The message that shared it. */
  message: MessageRef & { threadTs: string | null };
}

/** Records by their identifier; those that Pigeonhole did not file are absent. */
export async function filedRecords(
  db: Db,
  { projectId, folderId }: Destination,
  recordIds: number[],
): Promise<Map<number, FiledRecord>> {
  if (recordIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['transfers.recordId', 'transfers.userId', 'transfers.name'])
    .select(['shares.team', 'shares.channel', 'shares.ts', 'shares.threadTs'])
    .where('transfers.projectId', '=', projectId)
    .where('transfers.folderId', '=', folderId)
    .where('transfers.recordId', 'in', recordIds)
    .$narrowType<{ recordId: NotNull }>()
    .execute();
  return new Map(
    rows.map(({ recordId, userId, name, ...message }) => [recordId, { userId, name, message }]),
  );
}

/**
 * The transfers whose create in a folder has no answer, also those that were refused since, and
 * those whose record is looked for.
 */
export async function openCreates(db: Db, destination: Destination): Promise<Transfer[]> {
  const rows = await inFolder(db, destination).where(holdsPlace).execute();
  return rows.map(toTransfer);
}

/** What transfers hold in a folder. */
export interface Holdings {
  /** See openCreates; and those that are filed without its being known which record is theirs. */
  open: Transfer[];
  /** The records that transfers hold, deleted ones too. */
  claimed: Set<number>;
}

/** What transfers hold in a folder, of records from `least` on. */
export async function holdingsIn(
  db: Db,
  destination: Destination,
  least: number,
): Promise<Holdings> {
  // What is open comes first: what is filed meanwhile is known twice then, not to nobody.
  const open = await unidentified(db, destination).execute();
  const records = inFolder(db, destination).clearSelect().select('recordId');
  const held = await records.where('recordId', '>=', least).execute();
  return {
    open: open.map(toTransfer),
    claimed: new Set(held.flatMap(({ recordId }) => recordId ?? [])),
  };
}

/**
 * Who made the records that transfers hold, as far as that is known: the user of our key, and those of the
 * keys before it. They are few: each is asked for by the one before it.
 */
export async function knownCreators(db: Db): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ creator: number }>`
    with recursive known (creator) as (
      select min(record_creator) from transfers where record_creator is not null
      union all
      select (select min(record_creator) from transfers where record_creator > known.creator)
      from known where known.creator is not null
    )
    select creator from known where creator is not null`.execute(db);
  return new Set(rows.map(({ creator }) => creator));
}

/** The files of ours that may be in a folder, and of which it is not known which record is theirs. */
export async function unidentifiedIn(
  db: Db,
  destination: Destination,
): Promise<{ name: string; byteSize: number }[]> {
  const mismatched = inFolder(db, destination).where(SIZE_MISMATCH);
  const rows = await unidentified(db, destination).unionAll(mismatched).execute();
  return rows.map(({ name, byteSize }) => ({ name, byteSize: byteSize ?? 0 }));
}

const SIZE_MISMATCH = sql<boolean>`(refused_in = 'creating' and problem = 'RECORD_SIZE_MISMATCH')`;

function unidentified(db: Db, destination: Destination) {
  const open = inFolder(db, destination).where(holdsPlace);
  return open.unionAll(inFolder(db, destination).where(recordUnknown));
}

function inFolder(db: Db, { projectId, folderId }: Destination) {
  return db
    .selectFrom('transfers')
    .selectAll()
    .where((eb) => eb.and({ projectId, folderId }));
}

/**
 * The record of an open create was seen in its folder: it is filed, and whoever holds its claim
 * loses it. One that was refused goes there over `creating`, as by a Retry, in the same statement.
 * Changes nothing once the create is settled.
 */
export async function markFound(
  db: Db,
  transferId: number,
  { now, ...record }: FiledAs & { recordId: number },
): Promise<void> {
  await atomically(db, async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ ...filed(record, now), refusedIn: null })
      .where('id', '=', transferId)
      .where(holdsPlace)
      .returning(['shareId', 'projectId', 'folderId', 'name', 'byteSize'])
      .executeTakeFirst();
    if (!row) return;
    await wakeTwins(trx, row, now);
    await reopenDeletions(trx, [row], now);
    await shareChanged(trx, row.shareId, now);
  });
}

/**
 * What an open create may have left is about to be deleted: nobody can tell any more what it did, and it is
 * refused. Whoever holds its claim loses it. Returns the message that shared it; null, with nothing changed,
 * once the create is settled.
 */
export async function markUnclear(
  db: Db,
  transferId: number,
  { problem, now }: { problem: Problem; now: number },
): Promise<MessageRef | null> {
  return atomically(db, async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ ...refused(problem, now), refusedIn: 'creating' })
      .where((eb) => eb.and({ id: transferId, state: 'creating' }))
      .returning(['shareId', 'projectId', 'folderId', 'name', 'byteSize'])
      .executeTakeFirst();
    if (!row) return null;
    await wakeTwins(trx, row, now);
    return shareChanged(trx, row.shareId, now);
  });
}
