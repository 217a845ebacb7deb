import { type NotNull, sql } from 'kysely';
import {
  boundsOf,
  type Destination,
  type FiledName,
  type FolderRecord,
  type Held,
  isHeld,
  isStillFiledAs,
  type KnownRecord,
  type MessageRef,
  type Named,
  type OpenCreate,
  type SoughtFile,
} from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { reopenDeletions } from './deletions.ts';
import { noteShareChanged, noteSharesChanged, updateTransfers } from './messages.ts';
import { candidateRecords } from './mirror.ts';
import { atomically, inChunks } from './run-statements.ts';
import type { Db } from './schema.ts';
import { type FiledAs, filed, type Problem, refused } from './steps.ts';
import { findTransfers, inFolder, sentAs, type Transfer, UNSETTLED } from './transfer.ts';

/** Returns a folder's records of files that were shared in these channels, as they were filed. */
export async function recordsOfChannels(
  db: Db,
  { team, channels }: { team: string; channels: readonly string[] },
  { projectId, folderId }: Destination,
): Promise<Map<number, FiledName>> {
  const rows = await inChunks(channels, (some) =>
    db
      .selectFrom('shares')
      .innerJoin('transfers', 'transfers.shareId', 'shares.id')
      .select(['transfers.recordId', 'transfers.name', 'transfers.byteSize'])
      .select('transfers.recordName')
      .where((eb) => eb.and([eb('team', '=', team), eb('channel', 'in', some)]))
      // The unary plus keeps SQLite off the folder's index: others may have filed far more there.
      .where(sql<boolean>`(+project_id = ${projectId} and +folder_id = ${folderId})`)
      .where('transfers.state', '=', 'filed')
      .where('transfers.recordId', 'is not', null)
      .$narrowType<{ recordId: NotNull }>()
      .execute(),
  );
  return new Map(rows.map(({ recordId, ...row }) => [recordId, sentAs(row)]));
}

/**
 * Records who is about to delete a filed transfer's record, and when, so that it can be told after a
 * crash; `deletedBy` null takes that back.
 */
export async function beginDelete(
  db: Db,
  transferId: number,
  { deletedBy, now }: { deletedBy: string | null; now: number },
): Promise<void> {
  const deletedAt = deletedBy === null ? null : now;
  const filed = db.updateTable('transfers').set({ deletedBy, deletedAt });
  await filed.where((eb) => eb.and({ id: transferId, state: 'filed' })).execute();
}

/** Returns a folder's filed transfers, from record `least` on, that somebody began to delete. */
export function begunDeletes(db: Db, folder: Destination, least: number): Promise<BegunDelete[]> {
  const begun = db.selectFrom('transfers').select(['id', 'recordId', 'deletedBy', 'deletedAt']);
  const filed = begun.where(isOfFolder(folder)).where('state', '=', 'filed');
  return filed.where('recordId', '>=', least).where('deletedBy', 'is not', null).execute();
}

type BegunDelete = Pick<Transfer, 'id' | 'recordId' | 'deletedBy' | 'deletedAt'>;

/** Marks a filed transfer's record as deleted; `deletedBy` null: it was already gone. */
export async function markDeleted(
  db: Db,
  transferId: number,
  { deletedBy, now }: { deletedBy: string | null; now: number },
): Promise<void> {
  const to = { state: 'deleted', deletedBy, deletedAt: now } as const;
  const deleted = db.updateTable('transfers').set(to);
  const filed = deleted.where((eb) => eb.and({ id: transferId, state: 'filed' }));
  await updateTransfers(db, now, filed);
}

/** What the ledger knows of a record that Pigeonhole filed, and the message that shared it. */
interface FiledRecord extends MessageRef, Held {
  threadTs: string | null;
  shareId: number;
  /** The transfer that filed it. */
  transferId: number;
  /** The service's user who created it; null if unknown. */
  recordCreator: number | null;
  slackFileId: string;
  /** Who shared it; null when Slack did not say. */
  userId: string | null;
  /** Who saved it to its folder by hand; null when nobody did. */
  savedBy: string | null;
}

/**
 * Returns what was last filed under these numbers, deleted records too. Another file may have such a
 * number by now: what people may see and do rests on filedRecords.
 */
export async function everFiledAs(
  db: Db,
  folder: Destination,
  recordIds: readonly number[],
): Promise<Map<number, FiledRecord>> {
  const rows = await inChunks(recordIds, (some) =>
    db
      .selectFrom('transfers')
      .innerJoin('shares', 'shares.id', 'transfers.shareId')
      .select(['transfers.id as transferId', 'transfers.shareId', 'transfers.slackFileId'])
      .select(['transfers.userId', 'transfers.name', 'transfers.byteSize', 'transfers.state'])
      .select(['transfers.recordId', 'transfers.recordName', 'transfers.recordCreator'])
      .select(['shares.team', 'shares.channel', 'shares.ts', 'shares.threadTs', 'shares.savedBy'])
      .where(isOfFolder(folder))
      .where('transfers.recordId', 'in', some)
      .$narrowType<{ recordId: NotNull }>()
      .execute(),
  );
  return byRecord(rows.map((row) => ({ ...row, ...sentAs(row) })));
}

/** Maps rows by their records. One that is filed comes before a deleted one of the same number. */
function byRecord<T extends Held & { recordId: number }>(rows: readonly T[]): Map<number, T> {
  const deleted = rows.filter(({ state }) => state === 'deleted');
  const others = rows.filter(({ state }) => state !== 'deleted');
  return new Map([...deleted, ...others].map((row) => [row.recordId, row]));
}

/**
 * Returns, by identifier, those of a folder's records that Pigeonhole filed and that still are what
 * was filed: see isStillFiledAs.
 */
export async function filedRecords(
  db: Db,
  folder: Destination,
  records: readonly ListedRecord[],
): Promise<Map<number, FiledRecord>> {
  const ids = records.map(({ id }) => id);
  const known = await everFiledAs(db, folder, ids);
  const still = records.flatMap((record) => {
    const filed = known.get(record.id);
    const isStill = filed?.state === 'filed' && isStillFiledAs(filed, record);
    return isStill ? [[record.id, filed] as const] : [];
  });
  return new Map(still);
}

/** A record as its folder's list shows it. */
type ListedRecord = Pick<FolderRecord, 'id' | 'name' | 'byteSize'>;

/**
 * Returns a folder's transfers whose record there is unknown: those whose create has no known
 * outcome, refused ones included, those whose record is looked for, and filed ones without a record.
 */
export function openCreates(db: Db, destination: Destination): Promise<Transfer[]> {
  return findTransfers(unidentified(db, destination));
}

/** Whose records to look for in a folder that was read; `id` is the folder's, as it was read. */
interface Search {
  id: number;
  open: readonly OpenCreate[];
  sought?: readonly SoughtFile[];
}

/**
 * Returns a folder's records that may be those of open creates, or of sought files, and that no
 * transfer holds (see isHeld), by descending identifier. Deleted ones are held too, because a list may
 * still show them.
 */
export async function unheldRecords(
  db: Db,
  folder: Destination,
  { id, open, sought = [] }: Search,
): Promise<KnownRecord[]> {
  if (open.length + sought.length === 0) return [];
  const records = await candidateRecords(db, id, boundsOf(open, sought));
  const ids = records.map((record) => record.id);
  const held = await everFiledAs(db, folder, ids);
  const unheld = records.filter((record) => !isHeld(held.get(record.id), record, open));
  return unheld.toSorted((a, b) => b.id - a.id);
}

/**
 * Marks a filed transfer as deleted if another file has its record's number, one that looks like
 * `own`: see isHeld. Returns whether it did.
 */
export async function freeRecord(
  db: Db,
  folder: Destination,
  { record, own, now }: { record: ListedRecord; own: Named; now: number },
): Promise<boolean> {
  const holder = (await everFiledAs(db, folder, [record.id])).get(record.id);
  if (holder?.state !== 'filed' || isHeld(holder, record, [own])) return false;
  await markDeleted(db, holder.transferId, { deletedBy: null, now });
  return true;
}

/**
 * Returns the known creators of the records that transfers hold: the users of our current key and
 * of earlier ones. They are few, so the query seeks each from the one before it.
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

/** Returns our files that may be in a folder and whose record there is unknown. */
export async function unidentifiedIn(db: Db, destination: Destination): Promise<Named[]> {
  const hasOtherSize = sql<boolean>`(refused_in = 'creating' and problem = 'RECORD_SIZE_MISMATCH')`;
  const mismatched = inFolder(db, destination).where(hasOtherSize);
  const rows = await unidentified(db, destination).unionAll(mismatched).execute();
  return rows.map(({ name, byteSize }) => ({ name, byteSize: byteSize ?? 0 }));
}

function unidentified(db: Db, destination: Destination) {
  const open = inFolder(db, destination).where(UNSETTLED);
  // Filed, and it is unknown which of the folder's records is theirs.
  const unknown = sql<boolean>`(state = 'filed' and record_id is null)`;
  return open.unionAll(inFolder(db, destination).where(unknown));
}

/**
 * Marks an open create as filed after its record was seen in the folder; a claim on it is lost. A
 * refused transfer passes through `creating`, as by a Retry, in the same statement. Changes nothing
 * once the create is settled.
 */
export async function markFound(
  db: Db,
  transferId: number,
  { now, ...record }: FiledAs & { recordId: number },
): Promise<void> {
  await atomically(db, async (trx) => {
    const rows = await trx
      .updateTable('transfers')
      .set({ ...filed(record), refusedIn: null })
      .where('id', '=', transferId)
      .where(UNSETTLED)
      .returning('shareId')
      .execute();
    await reopenDeletions(trx, rows, now);
    await noteSharesChanged(trx, rows, now);
  });
}

/**
 * Refuses an open create whose possible record is about to be deleted: its outcome cannot be found
 * out afterwards. A claim on it is lost. Returns the message that shared it; null, with nothing
 * changed, once the create is settled.
 */
export function markUnclear(
  db: Db,
  transferId: number,
  { problem, now }: { problem: Problem; now: number },
): Promise<MessageRef | null> {
  return atomically(db, async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ ...refused(problem), refusedIn: 'creating' })
      .where((eb) => eb.and({ id: transferId, state: 'creating' }))
      .returning('shareId')
      .executeTakeFirst();
    return row ? noteShareChanged(trx, row.shareId, now) : null;
  });
}
