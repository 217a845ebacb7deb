import { type Selectable, sql } from 'kysely';
import {
  type CandidateBounds,
  changeBy,
  type Destination,
  type FolderRecord,
  type KnownFolder,
  type KnownRecord,
  type Proof,
  searchText,
} from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { atomically, COUNT, countChanged, inChunks, locked } from './run-statements.ts';
import type { Db, RecordTable } from './schema.ts';

/*
 * The mirror: what the lists of folders have shown, by the rules of mirror-rules.ts. `folders` holds
 * a folder's counter and how far its lists prove what is known; `records` its files, those that are
 * gone too, for a day. Each call is short: who reads a long list applies it in parts.
 */

/** After this time without a reading, in milliseconds, a folder's records are dropped. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;
/** How long a record that is gone is kept, in milliseconds. */
const GONE_MS = 24 * 60 * 60_000;
/** Records dropped at once: more would stop the process for long. */
const DROPPED_AT_ONCE = 1_000;

/** Returns what is known of a folder; undefined if it was never read. */
export function findFolder(db: Db, folder: Destination): Promise<KnownFolder | undefined> {
  return db.selectFrom('folders').selectAll().where(isOfFolder(folder)).executeTakeFirst();
}

/**
 * Begins a reading: returns what is known of the folder, with the reading's number as `counter`.
 * Also drops some records of a folder that was not read for 30 days.
 */
export function beginReading(db: Db, folder: Destination, now: number): Promise<KnownFolder> {
  const { projectId, folderId } = folder;
  return atomically(db, async (trx) => {
    const first = { projectId, folderId, counter: 1, usedAt: now };
    const counter = sql<number>`folders.counter + 1`;
    const begun = await trx
      .insertInto('folders')
      .values(first)
      .onConflict((conflict) =>
        conflict.columns(['projectId', 'folderId']).doUpdateSet({ counter, usedAt: now }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    await dropUnused(trx, now);
    return begun;
  });
}

async function dropUnused(trx: Db, now: number): Promise<void> {
  const before = now - UNUSED_MS;
  const unused = trx.selectFrom('folders').select('id').where('usedAt', '<', before);
  const folder = await unused.limit(1).executeTakeFirst();
  if (!folder) return;
  const some = trx.selectFrom('records').select('number').where('folder', '=', folder.id);
  const numbers = await some.orderBy('number').limit(DROPPED_AT_ONCE).execute();
  const last = numbers.at(-1)?.number ?? 0;
  const dropped = trx.deleteFrom('records').where('folder', '=', folder.id);
  await dropped.where('number', '<=', last).execute();
  if (numbers.length === DROPPED_AT_ONCE) {
    const rest = { readAt: null, completeAt: null };
    await trx.updateTable('folders').set(rest).where('id', '=', folder.id).execute();
    return;
  }
  const empty = trx.deleteFrom('folders').where('id', '=', folder.id);
  // Another instance may have begun to read it meanwhile.
  await empty.where('usedAt', '<', before).execute();
}

async function noteWrite(db: Db, id: number, counter: number): Promise<void> {
  await db.updateTable('folders').set({ counter, written: counter }).where('id', '=', id).execute();
}

/** The numbers of a folder's last write before and after a call; equal if it wrote nothing. */
interface Written {
  before: number;
  after: number;
}

interface ListedRecords {
  /** A few hundred at most. */
  records: readonly FolderRecord[];
  /** The reading's number; null for the answer to our own create. */
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
    await noteWrite(trx, id, after);
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
];
const EXCLUDED = Object.fromEntries(
  WRITTEN.map((column) => [column, sql.ref(`excluded.${column}`)]),
);

// Also keeps others from writing to the folder's records until the transaction ends.
function lockFolder(trx: Db, id: number): Promise<Pick<KnownFolder, 'counter' | 'written'>> {
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
function storable({ name, fileType, url, ...record }: FolderRecord): FolderRecord {
  const type = fileType === null ? null : storableText(fileType);
  const link = url === null ? null : storableText(url);
  return { ...record, name: storableText(name), fileType: type, url: link };
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
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

/** Returns a folder's live numbers above `after`, in order, at most `limit`. */
export async function liveNumbers(
  db: Db,
  id: number,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const above = found(db, id, {}).select('number').where('number', '>', after);
  return (await above.orderBy('number').limit(limit).execute()).map(({ number }) => number);
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
    if (gone > 0) await noteWrite(trx, id, counter + 1);
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
    await noteWrite(trx, known.id, after);
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

/**
 * Notes that all records of a folder are known, as of `completeAt`, and forgets those that have been
 * gone for a day. Resolves with whether that holds: see `only`.
 */
export function noteComplete(db: Db, id: number, { only, ...proof }: Proof): Promise<boolean> {
  return atomically(db, async (trx) => {
    const { written } = await lockFolder(trx, id);
    if (only && (written !== only.written || (await countRecords(trx, id)) !== only.count))
      return false;
    const earlier = trx.updateTable('folders').set(proof).where('id', '=', id);
    await earlier.where(sql<boolean>`coalesce(complete_at, 0) <= ${proof.completeAt}`).execute();
    const known = trx.deleteFrom('records').where('folder', '=', id);
    if (!only) await known.where('goneSince', '<', proof.completeAt - GONE_MS).execute();
    return true;
  });
}

interface Search {
  /** Texts that the folded name contains, all of them. Default: none, which finds all. */
  words?: readonly string[] | undefined;
  /** Only those with a lower number; default: all. */
  below?: number | undefined;
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

function found(db: Db, id: number, { words = [], below }: Search) {
  const live = db.selectFrom('records').where('folder', '=', id).where('goneSince', 'is', null);
  const some = below === undefined ? live : live.where('number', '<', below);
  return words.reduce((query, word) => query.where(contains(word)), some);
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
