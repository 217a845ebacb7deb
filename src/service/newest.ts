import { MOST_ELEMENTS } from './json.ts';
import { beginList, type Listing, readOn } from './list.ts';
import { type ListSource, orNull, PAGE_SIZE, type Page } from './list-source.ts';
import type { FileRecord } from './records.ts';

type FileListing = Listing<FileRecord>;
type FileSource = ListSource<FileRecord>;

/**
 * The newest files of a list that has been read in part: all that are certain to be newer than any
 * that was not seen. None where that cannot be told: the times of what was seen follow no order, or
 * the end of the list could not be found.
 */
export async function findNewest(begun: FileListing, source: FileSource): Promise<FileRecord[]> {
  const seen = [...begun.records.values()];
  const order = sharedOrder(seen);
  if (order === null) return [];
  if (order === 'newest-first') return seen;
  return (await orNull(readLast(begun, source))) ?? [];
}

/** How far the first looks for the end reach, as a multiple of what is known. */
const REACH = 4;
/** As many as 200,000 entries take. */
const MOST_LOOKS = 18;

/**
 * The last page of a list that shows its oldest files first: looks ever farther ahead, then halves what
 * is left. Null when that does not come to an end, or shows another order.
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
    if (looks === MOST_LOOKS || low > MOST_ELEMENTS) return null;
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

/** Requests that bringing a list up to date may take; what needs more is read anew. */
const MOST_REQUESTS = 3;

/**
 * Brings a list of many pages up to date when nothing but additions came since it was read. Null where it
 * is to be read anew: other changes came or too many, or its order does not tell where additions come.
 */
export async function refreshList(
  known: FileListing,
  source: FileSource,
): Promise<FileListing | null> {
  const order = orderOf([...known.records.values()]);
  if (order === null) return null;
  return order === 'oldest-first' ? addLast(known, source) : addFirst(known, source);
}

// The last record still at its place: everything before it is as it was.
async function addLast(known: FileListing, source: FileSource): Promise<FileListing | null> {
  const page = await source.readPage(known.lastAt);
  if (!beginsWithLast(page, known)) return null;
  const { serviceTime, askedAt: fetchedAt } = page;
  const newest = { ...page, entries: [] };
  const begun = { ...known, newest, next: known.lastAt, serviceTime, fetchedAt };
  const pages = [page];
  const readPage = async (start: number | null) => pages.shift() ?? source.readPage(start);
  const read = await readOn({ ...begun, state: 'open' }, { ...source, readPage }, MOST_REQUESTS);
  return read.state === 'whole' ? { ...read, wholeAt: known.wholeAt } : null;
}

// The records after the new ones are those that were known, and the last has moved by their number.
async function addFirst(known: FileListing, source: FileSource): Promise<FileListing | null> {
  let front = await beginList(source);
  let added = newBefore(known, front);
  if (added === null && front.state === 'open') {
    front = await readOn(front, source, 1);
    added = newBefore(known, front);
  }
  if (added === null) return null;
  // Not from where it was: what came while the list was read had moved it already.
  const lastAt = added.length + known.records.size + known.odd.size - 1;
  const end = await source.readPage(lastAt);
  if (end.entries.length > 1 || !beginsWithLast(end, known)) return null;
  const inOrder = [...added, ...known.records.values(), ...front.records.values()];
  const records = new Map(inOrder.map((one) => [one.id, one]));
  const { serviceTime, fetchedAt } = front;
  return { ...known, serviceTime, fetchedAt, records, lastAt, next: lastAt };
}

/** The records before the known ones; null when these do not follow as they were. */
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

/** Where a list shows what was added last: at its end, or at its beginning. */
type ListOrder = 'oldest-first' | 'newest-first';

/** The order that times and identifiers agree on: no old time comes late. */
function sharedOrder(records: readonly FileRecord[]): ListOrder | null {
  const order = timeOrderOf(records);
  return order === orderOf(records) ? order : null;
}

/** The order that records show, by their identifiers or else by their times; null for another. */
function orderOf(records: readonly FileRecord[]): ListOrder | null {
  return byKey(records.map(({ id }) => id)) ?? timeOrderOf(records);
}

/** The order that the times of records show; null when it is another, or one has no time. */
function timeOrderOf(records: readonly FileRecord[]): ListOrder | null {
  return byKey(records.map(({ createdAt }) => createdAt ?? Number.NaN));
}

function byKey(keys: readonly number[]): ListOrder | null {
  const isSorted = (sign: number) =>
    keys.every((key, at) => at === 0 || (key - (keys[at - 1] ?? 0)) * sign >= 0);
  const [first = 0] = keys;
  const last = keys.at(-1) ?? 0;
  if (first < last && isSorted(1)) return 'oldest-first';
  return first > last && isSorted(-1) ? 'newest-first' : null;
}
