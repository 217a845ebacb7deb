import { type Selectable, sql } from 'kysely';
import {
  type CandidateBounds,
  changeBy,
  type Destination,
  type FolderRecord,
  type KnownRecord,
  searchText,
} from '../transfers/index.ts';
import { isOfFolder } from './channels.ts';
import { atomically, COUNT, countChanged, inChunks, locked } from './run-statements.ts';
import type { Db, FolderTable, RecordTable } from './schema.ts';

/*
 * The mirror: what the lists of folders have shown, by the rules of mirror-rules.ts. `folders` holds
 * a folder's counter and how far its lists prove what is known; `records` its files, those that are
 * gone too, for a day. Each call is short: who reads a long list applies it in parts.
 */

/** What is known of a folder as a whole. */
export type Folder = Selectable<FolderTable>;

/** After this time without a reading, in milliseconds, a folder's records are dropped. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;
/** How often a use is noted, and how long a record that is gone is kept, in milliseconds. */
const DAY_MS = 24 * 60 * 60_000;
/** Records dropped at once: more would stop the process for long. */
const DROPPED_AT_ONCE = 1_000;

/** Returns what is known of a folder; undefined if it was never read. */
export function findFolder(db: Db, folder: Destination): Promise<Folder | undefined> {
  return db.selectFrom('folders').selectAll().where(isOfFolder(folder)).executeTakeFirst();
}

/** Begins a reading: returns what is known of the folder, with the reading's number as `counter`. */
export function beginReading(db: Db, folder: Destination, now: number): Promise<Folder> {
  return atomically(db, async (trx) => {
    const first = trx.insertInto('folders').values({ ...plain(folder), counter: 1, usedAt: now });
    const counter = sql<number>`folders.counter + 1`;
    const usedAt = sql<number>`case when folders.used_at < ${now - DAY_MS} then ${now} else folders.used_at end`;
    const begun = first.onConflict((conflict) =>
      conflict.columns(['projectId', 'folderId']).doUpdateSet({ counter, usedAt }),
    );
    return begun.returningAll().executeTakeFirstOrThrow();
  });
}

const plain = ({ projectId, folderId }: Destination) => ({ projectId, folderId });

function change(db: Db, id: number, set: Partial<Omit<Folder, 'id'>>): Promise<unknown> {
  return db.updateTable('folders').set(set).where('id', '=', id).execute();
}

/**
 * Drops some records of a folder that was not read for 30 days. Resolves with whether there may be
 * more to drop.
 */
export function dropUnusedRecords(db: Db, now: number): Promise<boolean> {
  return atomically(db, async (trx) => {
    const unused = trx
      .selectFrom('folders')
      .select('id')
      .where('usedAt', '<', now - UNUSED_MS);
    const folder = await unused.executeTakeFirst();
    if (!folder) return false;
    const some = trx.selectFrom('records').select('number').where('folder', '=', folder.id);
    const numbers = (await some.limit(DROPPED_AT_ONCE).execute()).map(({ number }) => number);
    await dropRecords(trx, folder.id, numbers);
    if (numbers.length === 0) await trx.deleteFrom('folders').where('id', '=', folder.id).execute();
    return true;
  });
}

async function dropRecords(db: Db, folder: number, numbers: readonly number[]): Promise<void> {
  await inChunks(numbers, (some) =>
    db.deleteFrom('records').where('folder', '=', folder).where('number', 'in', some).execute(),
  );
}

/** The numbers of a folder's last write before and after a call; equal if it wrote nothing. */
export interface Written {
  before: number;
  after: number;
}

interface ListedRecords {
  /** A few hundred at most. */
  records: readonly FolderRecord[];
  /** The reading's number, or its last write's; null for the answer to our own create. */
  asked: number | null;
}

/** Writes what a list shows and is not known, in one transaction: rule 2. */
export function applyListed(db: Db, id: number, listed: ListedRecords): Promise<Written> {
  return atomically(db, async (trx) => {
    const { counter, written: before } = await lockFolder(trx, id);
    const numbers = listed.records.map((record) => record.id);
    const known = await knownByNumber(trx, id, numbers);
    const after = counter + 1;
    const rows = listed.records.flatMap((given) => {
      const record = storable(given);
      const was = known.get(record.id);
      const changed = changeBy(was, record, listed.asked ?? after);
      if (changed === 'none') return [];
      const firstSeen = changed === 'changed' ? (was?.firstSeen ?? after) : after;
      return [{ ...toRow(record), folder: id, firstSeen, changedIn: after, goneSince: null }];
    });
    if (rows.length === 0) return { before, after: before };
    await change(trx, id, { counter: after, written: after });
    await inChunks(rows, (some) =>
      trx
        .insertInto('records')
        .values(some)
        .onConflict((conflict) => conflict.columns(['folder', 'number']).doUpdateSet(EXCLUDED))
        .execute(),
    );
    return { before, after };
  });
}

const WRITTEN = [
  ...['name', 'folded', 'byteSize', 'creatorId', 'createdAt', 'fileType', 'approvedCount'],
  ...['proofCount', 'url', 'firstSeen', 'changedIn', 'goneSince'],
] as const;

const EXCLUDED = Object.fromEntries(
  WRITTEN.map((column) => [column, sql.ref(`excluded.${column}`)]),
);

// Also keeps others from writing to the folder's records until the transaction ends.
function lockFolder(trx: Db, id: number): Promise<Pick<Folder, 'counter' | 'written'>> {
  const row = trx.selectFrom('folders').select(['counter', 'written']).where('id', '=', id);
  return row.modifyEnd(locked(trx, 'folders')).executeTakeFirstOrThrow();
}

async function knownByNumber(
  db: Db,
  folder: number,
  numbers: readonly number[],
): Promise<Map<number, KnownRecord>> {
  const rows = await inChunks(numbers, (some) =>
    db
      .selectFrom('records')
      .selectAll()
      .where('folder', '=', folder)
      .where('number', 'in', some)
      .execute(),
  );
  return new Map(rows.map((row) => [row.number, toRecord(row)]));
}

type RecordRow = Selectable<RecordTable>;

// What a database would change as it stores it would look changed in each list.
function storable(record: FolderRecord): FolderRecord {
  const { name } = record;
  const isPlain = name.isWellFormed() && !name.includes('\0');
  return isPlain ? record : { ...record, name: name.toWellFormed().replaceAll('\0', '\uFFFD') };
}

/** A file without a creation time is listed last, as the oldest. */
const NO_TIME = 0;

function toRow({ id, createdAt, ...record }: FolderRecord) {
  const { name, byteSize, creatorId, fileType, approvedCount, proofCount, url } = record;
  const shown = { name, byteSize, creatorId, fileType, approvedCount, proofCount, url };
  return { ...shown, number: id, createdAt: createdAt ?? NO_TIME, folded: searchText(name) };
}

function toRecord(row: RecordRow): KnownRecord {
  const { folder: _, folded: _folded, number: id, createdAt, ...record } = row;
  return { ...record, id, createdAt: createdAt === NO_TIME ? null : createdAt };
}

/**
 * Returns a folder's live numbers above `after`, in order, at most `limit`, and drops records that
 * have been gone for a day: for the comparison at the end of a reading.
 */
export async function liveNumbers(
  db: Db,
  id: number,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<{ numbers: number[]; last: number | null }> {
  const rows = await db
    .selectFrom('records')
    .select(['number', 'goneSince'])
    .where('folder', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  const old = rows.filter(({ goneSince }) => goneSince !== null && goneSince < now - DAY_MS);
  if (old.length > 0)
    await dropRecords(
      db,
      id,
      old.map(({ number }) => number),
    );
  const live = rows.filter(({ goneSince }) => goneSince === null);
  const last = rows.length === limit ? (rows.at(-1)?.number ?? null) : null;
  return { numbers: live.map(({ number }) => number), last };
}

/** Marks records as gone that complete lists missed, of the reading with number `asked`: rule 2. */
export function markMissing(
  db: Db,
  id: number,
  { numbers, asked, now }: { numbers: readonly number[]; asked: number; now: number },
): Promise<void> {
  return atomically(db, async (trx) => {
    const { counter } = await lockFolder(trx, id);
    let gone = 0;
    await inChunks(numbers, async (some) => {
      const missed = trx.updateTable('records').set({ goneSince: now, changedIn: asked });
      const known = missed.where('folder', '=', id).where('number', 'in', some);
      gone += await countChanged(
        known.where('changedIn', '<', asked).where('goneSince', 'is', null),
      );
    });
    if (gone > 0) await change(trx, id, { counter: counter + 1, written: counter + 1 });
  });
}

const UNSEEN: FolderRecord = {
  ...{ id: 0, name: '', byteSize: null, createdAt: null, approvedCount: 0, fileType: null },
  ...{ proofCount: 0, url: null, creatorId: null },
};

/** Notes that a record was deleted through us; nothing if its folder was never read. */
export function noteDeleted(
  db: Db,
  folder: Destination,
  { number, now }: { number: number; now: number },
): Promise<void> {
  return atomically(db, async (trx) => {
    const known = await findFolder(trx, folder);
    if (!known) return;
    const after = (await lockFolder(trx, known.id)).counter + 1;
    await change(trx, known.id, { counter: after, written: after });
    // Also one that no list has shown: a list in flight may be about to.
    const unseen = { ...toRow(UNSEEN), number, folder: known.id, firstSeen: after };
    const gone = { goneSince: now, changedIn: after };
    await trx
      .insertInto('records')
      .values({ ...unseen, ...gone })
      .onConflict((conflict) => conflict.columns(['folder', 'number']).doUpdateSet(gone))
      .execute();
  });
}

/** What a reading proves of a folder. */
interface Proof {
  /** Our clock at the reading's first request. */
  completeAt: number;
  /** Our clock after the last, for a list read from start to end; default: the earlier one stays. */
  readAt?: number;
  serviceTime: number | null;
  unreadable: number;
  listOrder: Folder['listOrder'];
  paged: number;
  /** The highest number that the list has shown. */
  highest: number;
  /** The reading proves nothing unless this many records are known, and this was the last write. */
  only?: { written: number; count: number };
}

/**
 * Notes that all records of a folder are known, as of `completeAt`. Resolves with whether that holds:
 * see `only`.
 */
export function noteComplete(db: Db, id: number, { only, ...proof }: Proof): Promise<boolean> {
  return atomically(db, async (trx) => {
    const { written } = await lockFolder(trx, id);
    if (only && (written !== only.written || (await countRecords(trx, id)) !== only.count))
      return false;
    const earlier = trx.updateTable('folders').set(proof).where('id', '=', id);
    await earlier.where(sql<boolean>`coalesce(complete_at, 0) <= ${proof.completeAt}`).execute();
    return true;
  });
}

export interface Search {
  /** Texts that the folded name contains, all of them. Default: none, which finds all. */
  words?: readonly string[] | undefined;
}

/** Returns how many records a folder has, or a search finds in it. */
export async function countRecords(db: Db, id: number, search: Search = {}): Promise<number> {
  return (await found(db, id, search).select(COUNT).executeTakeFirstOrThrow()).count;
}

interface PageOfRecords extends Search {
  limit: number;
  /** How many to leave out; default: 0. */
  offset?: number;
  /** Only those that come after this one; default: all. */
  after?: Pick<FolderRecord, 'id' | 'createdAt'> | undefined;
}

/** Returns a folder's records, newest first. */
export async function newestRecords(
  db: Db,
  id: number,
  { limit, offset = 0, after, ...search }: PageOfRecords,
): Promise<KnownRecord[]> {
  const all = found(db, id, search).selectAll();
  const rest = after
    ? all.where(sql<boolean>`(created_at, number) < (${after.createdAt ?? NO_TIME}, ${after.id})`)
    : all;
  const sorted = rest.orderBy('createdAt', 'desc').orderBy('number', 'desc');
  return (await sorted.limit(limit).offset(offset).execute()).map(toRecord);
}

function found(db: Db, id: number, { words = [] }: Search) {
  const live = db.selectFrom('records').where('folder', '=', id).where('goneSince', 'is', null);
  return words.reduce((query, word) => query.where(contains(word)), live);
}

function contains(word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`folded like ${pattern} escape '\\'`;
}

/** Returns those of a folder's records that have these numbers and are not gone. */
export async function recordsNumbered(
  db: Db,
  id: number,
  numbers: readonly number[],
): Promise<Map<number, KnownRecord>> {
  const known = await knownByNumber(db, id, numbers);
  return new Map([...known].filter(([, { goneSince }]) => goneSince === null));
}

/** Returns how many of a folder's records have a lower number. */
export async function countBelow(db: Db, id: number, number: number): Promise<number> {
  const below = found(db, id, {}).where('number', '<', number);
  return (await below.select(COUNT).executeTakeFirstOrThrow()).count;
}

/** Returns a folder's records within these bounds: see boundsOf. */
export async function candidateRecords(
  db: Db,
  id: number,
  { number, createdAt, sizes }: CandidateBounds,
): Promise<KnownRecord[]> {
  const fits = sizes
    ? sql<boolean>`(byte_size is null or byte_size in (${sql.join(sizes)}))`
    : sql<boolean>`true`;
  const live = () => found(db, id, {}).selectAll().where(fits);
  if (number === null) return (await live().execute()).map(toRecord);
  // Several statements, as no database serves an "or" of these from their indexes.
  const byNumber = await live().where('number', '>', number).execute();
  const later = live().where('createdAt', '>=', createdAt).where('number', '<=', number);
  const timeless = live().where('createdAt', '=', NO_TIME).where('number', '<=', number);
  const others = [...(await later.execute()), ...(await timeless.execute())];
  return [...byNumber, ...others].map(toRecord);
}

/** Returns a folder's records that were first seen after the number `seen`. */
export async function recordsSeenAfter(db: Db, id: number, seen: number): Promise<KnownRecord[]> {
  const added = found(db, id, {}).selectAll().where('firstSeen', '>', seen);
  return (await added.orderBy('number').execute()).map(toRecord);
}
