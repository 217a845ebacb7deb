import { orNull } from '../base/index.ts';
import { isServiceFailure } from './errors.ts';
import type { FileRecord } from './json.ts';
import {
  beginList,
  type Listing,
  type ListSource,
  MAX_ELEMENTS,
  PAGE_SIZE,
  type Page,
  readOn,
} from './list.ts';

export type FileListing = Listing<FileRecord>;
type FileSource = ListSource<FileRecord>;

/**
 * Returns the newest files of a partly read list: those certain to be newer than every unread file.
 * Empty if that is unknown, because the records read follow no order or the end of the list was not
 * found.
 */
export async function findNewest(begun: FileListing, source: FileSource): Promise<FileRecord[]> {
  const seen = [...begun.records.values()];
  const order = sharedOrder(seen);
  if (order === null) return [];
  if (order === 'newest-first') return seen;
  return (await orNull(readLast(begun, source), isServiceFailure)) ?? [];
}

/** The search for the end of the list multiplies its index by this, until it has passed the end. */
const REACH = 4;
/** The most requests that the search takes in a list of 200,000 entries. */
const MAX_LOOKS = 18;

/**
 * Reads the last page of a list sorted oldest first, by exponential and then binary search. Null if
 * the search does not end, or the pages show another order.
 */
async function readLast(
  { records, lastAt }: FileListing,
  { readPage }: FileSource,
): Promise<FileRecord[] | null> {
  const pages = new Map<number, FileRecord[]>([[0, [...records.values()]]]);
  const look = async (start: number) => {
    const { entries } = await readPage(start);
    const files = entries.filter((entry) => entry !== null);
    pages.set(start, files);
    return entries.length;
  };
  let low = lastAt + 1;
  let high = Number.POSITIVE_INFINITY;
  for (let looks = 0; low < high; looks++) {
    if (looks === MAX_LOOKS || low > MAX_ELEMENTS) return null;
    const start = startBetween(low, high);
    const count = await look(start);
    if (count < PAGE_SIZE) high = start + count;
    if (count > 0) low = start + count;
  }
  const start = Math.max(0, low - PAGE_SIZE);
  await look(start);
  const inOrder = [...pages].sort(([a], [b]) => a - b).flatMap(([, page]) => page);
  const all = new Map(inOrder.map((one) => [one.id, one]));
  return sharedOrder([...all.values()]) === 'oldest-first' ? (pages.get(start) ?? null) : null;
}

function startBetween(low: number, high: number): number {
  if (high === Number.POSITIVE_INFINITY) return low * REACH;
  return high - low <= PAGE_SIZE ? low : Math.floor((low + high) / 2);
}

/** The most requests of an update; a list that needs more is read anew from its start. */
const MAX_REQUESTS = 3;

/**
 * Updates a paged list if records were only added since it was read. Null if it must be read anew:
 * too many or other changes came, or its order does not show where additions appear.
 */
export async function refreshList(
  known: FileListing,
  source: FileSource,
): Promise<FileListing | null> {
  const order = orderOf([...known.records.values()]);
  if (order === null) return null;
  return order === 'oldest-first' ? addLast(known, source) : addFirst(known, source);
}

// If the last known record is still at its index, nothing before it was added or deleted.
async function addLast(known: FileListing, source: FileSource): Promise<FileListing | null> {
  const page = await source.readPage(known.lastAt);
  if (!beginsWithLast(page, known)) return null;
  const { serviceTime, askedAt: fetchedAt } = page;
  const begun = { ...known, lastPage: [], next: known.lastAt, serviceTime, fetchedAt };
  const pages = [page];
  const readPage = async (start: number | null) => pages.shift() ?? source.readPage(start);
  const read = await readOn({ ...begun, state: 'open' }, { ...source, readPage }, MAX_REQUESTS);
  return read.state === 'whole' ? { ...read, wholeAt: known.wholeAt } : null;
}

// Checks that the known records follow the new ones, and that the last moved by the number added.
async function addFirst(known: FileListing, source: FileSource): Promise<FileListing | null> {
  const first = await beginList(source);
  const front = newBefore(known, first) ? first : await readOn(first, source, 1);
  const added = newBefore(known, front);
  if (added === null) return null;
  // Not counted from known.lastAt: additions during the reading had already moved the last record.
  const lastAt = added.length + known.records.size + known.unreadable.size - 1;
  const end = await source.readPage(lastAt);
  if (end.entries.length > 1 || !beginsWithLast(end, known)) return null;
  const inOrder = [...added, ...known.records.values(), ...front.records.values()];
  const records = new Map(inOrder.map((one) => [one.id, one]));
  const { serviceTime, fetchedAt } = front;
  return { ...known, serviceTime, fetchedAt, records, lastAt, next: lastAt };
}

/** Returns the records before the known ones; null if the known ones do not follow unchanged. */
function newBefore(known: FileListing, front: FileListing): FileRecord[] | null {
  const read = [...front.records.values()];
  const at = read.findIndex(({ id }) => known.records.has(id));
  if (at === -1) return null;
  const expected = known.records.keys();
  const isRun = read.slice(at).every(({ id }) => id === expected.next().value);
  return isRun ? read.slice(0, at) : null;
}

function beginsWithLast({ entries, whole }: Page<FileRecord>, known: FileListing): boolean {
  return whole && entries[0]?.id === [...known.records.keys()].at(-1);
}

/** Where a list shows the latest addition: at its end, or at its start. */
type ListOrder = 'oldest-first' | 'newest-first';

/** Returns the order if times and identifiers agree on it, else null. */
function sharedOrder(records: readonly FileRecord[]): ListOrder | null {
  const order = orderBy(timeOf, records);
  return order === orderOf(records) ? order : null;
}

/** Returns the order by identifiers, or else by creation times; null if neither is sorted. */
function orderOf(records: readonly FileRecord[]): ListOrder | null {
  return orderBy(({ id }) => id, records) ?? orderBy(timeOf, records);
}

// Without a time, no order holds.
const timeOf = ({ createdAt }: FileRecord) => createdAt ?? Number.NaN;

function orderBy(
  keyOf: (record: FileRecord) => number,
  records: readonly FileRecord[],
): ListOrder | null {
  const keys = records.map(keyOf);
  const isSorted = (sign: number) =>
    keys.every((key, at) => at === 0 || (key - (keys[at - 1] ?? 0)) * sign >= 0);
  const [first = 0] = keys;
  const last = keys.at(-1) ?? 0;
  if (first < last && isSorted(1)) return 'oldest-first';
  return first > last && isSorted(-1) ? 'newest-first' : null;
}
