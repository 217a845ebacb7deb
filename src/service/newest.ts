import { beginList, type ListSource, orNull, readOn } from './list.ts';
import { MOST_RECORDS } from './list-answer.ts';
import { addPage, type Listing, type Page } from './listing.ts';
import { PAGE_SIZE } from './paging.ts';
import type { FileRecord } from './records.ts';

type FileListing = Listing<FileRecord>;
type FileSource = ListSource<FileRecord>;

/** How far the first looks for the end reach, as a multiple of what is known. */
const REACH = 4;
/** As many as 200,000 entries take. */
const MOST_LOOKS = 18;

/**
 * The newest files of a list that has been read in part: all that are certain to be newer than any
 * that was not seen. None where that cannot be told: the times of what was seen follow no order, or
 * the end of the list could not be found.
 */
export async function findNewest(
  { records, lastAt }: FileListing,
  source: FileSource,
): Promise<FileRecord[]> {
  const seen = [...records.values()];
  const order = sharedOrder(seen);
  if (order === null) return [];
  if (order === 'newest-first') return seen;
  return (await orNull(readLast(seen, lastAt + 1, source))) ?? [];
}

// Both: times tell what is newest, and identifiers that no old time comes late.
function sharedOrder(seen: readonly FileRecord[]) {
  const order = timeOrderOf(seen);
  return order === orderOf(seen) ? order : null;
}

/** The last page of a list in the order of age, of which `count` entries have been read. */
async function readLast(
  seen: readonly FileRecord[],
  count: number,
  { readPage }: FileSource,
): Promise<FileRecord[] | null> {
  const pages = new Map<number, Page<FileRecord>>();
  const look = async (start: number) => {
    const page = await readPage(start);
    pages.set(start, page);
    return page;
  };
  const end = await findEnd(count, async (start) => (await look(start)).received);
  if (end === null) return null;
  const last = await look(Math.max(0, end - PAGE_SIZE));
  const inOrder = [...pages].sort(([a], [b]) => a - b).flatMap(([, { records }]) => records);
  const all = new Map([...seen, ...inOrder].map((one) => [one.id, one]));
  return sharedOrder([...all.values()]) === 'oldest-first' ? last.records : null;
}

/**
 * Finds how many entries a list has, of which `known` are known to be there: looks ever farther ahead,
 * then halves what is left. Null when that does not come to an end.
 */
async function findEnd(
  known: number,
  countFrom: (start: number) => Promise<number>,
): Promise<number | null> {
  let low = known;
  let high = Number.POSITIVE_INFINITY;
  for (let look = 0; look < MOST_LOOKS && low <= MOST_RECORDS; look++) {
    const start = startBetween(low, high);
    const count = await countFrom(start);
    if (count > 0 && count < PAGE_SIZE) return start + count;
    if (count === 0) high = start;
    else low = start + count;
    if (low >= high) return low;
  }
  return null;
}

function startBetween(low: number, high: number): number {
  if (high === Number.POSITIVE_INFINITY) return low * REACH;
  return high - low <= PAGE_SIZE ? low : Math.floor((low + high) / 2);
}

/** Requests that bringing a list up to date may take; what needs more is read anew. */
const MOST_REQUESTS = 3;

/**
 * Brings a list of many pages up to date when nothing but additions came since it was read. Null
 * when something else did, when its order does not tell where additions come, or when there are too
 * many: it is then to be read anew.
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
async function addLast(known: FileListing, source: FileSource) {
  const page = await source.readPage(known.lastAt);
  if (!page.whole || !beginsWithLast(page, known)) return null;
  const { serviceTime, askedAt: fetchedAt } = page;
  const [records, odd] = [new Map(known.records), new Set(known.odd)];
  const listing: FileListing = {
    ...known,
    state: 'open',
    records,
    odd,
    next: known.lastAt,
    serviceTime,
    fetchedAt,
  };
  if (addPage(listing, page) === 'end') return { ...listing, state: 'whole' as const };
  const read = await readOn(listing, source, MOST_REQUESTS - 1);
  return read.state === 'whole' ? read : null;
}

// The records after the new ones are those that were known, and the last has moved by their number.
async function addFirst(known: FileListing, source: FileSource) {
  let front = await beginList(source);
  let added = newBefore(known, front);
  if (added === null && front.state === 'open') {
    front = await readOn(front, source, 1);
    added = newBefore(known, front);
  }
  if (added === null) return null;
  // Not from where it was: what came while the list was read had moved it already.
  const oddBefore = [...known.odd].filter((at) => at < known.lastAt).length;
  const lastAt = added.length + known.records.size + oddBefore - 1;
  const end = await source.readPage(lastAt);
  if (!end.whole || end.records.length > 1 || !beginsWithLast(end, known)) return null;
  const records = new Map([...added, ...known.records.values()].map((one) => [one.id, one]));
  const { serviceTime, fetchedAt } = front;
  const odd = new Set([...known.odd].map((at) => at + lastAt - known.lastAt));
  return { ...known, serviceTime, fetchedAt, records, odd, lastAt, next: lastAt };
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

function beginsWithLast(page: Page<FileRecord>, known: FileListing): boolean {
  return page.records[0]?.id === [...known.records.keys()].at(-1);
}

/** Where a list shows what was added last: at its end, or at its beginning. */
type ListOrder = 'oldest-first' | 'newest-first';

/** The order that records show, by their identifiers or else by their times; null for another. */
function orderOf(records: readonly FileRecord[]): ListOrder | null {
  return byKey(records.map(({ id }) => id)) ?? timeOrderOf(records);
}

/** The order that the times of records show; null when it is another, or one has no time. */
function timeOrderOf(records: readonly FileRecord[]): ListOrder | null {
  const times = records.flatMap(({ createdAt }) => createdAt ?? []);
  return times.length === records.length ? byKey(times) : null;
}

function byKey(keys: readonly number[]): ListOrder | null {
  const [first = 0] = keys;
  const last = keys.at(-1) ?? 0;
  if (first === last) return null;
  const sign = first < last ? 1 : -1;
  for (let at = 1; at < keys.length; at++) {
    if (((keys[at] ?? 0) - (keys[at - 1] ?? 0)) * sign < 0) return null;
  }
  return first < last ? 'oldest-first' : 'newest-first';
}
