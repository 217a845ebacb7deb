import { orNull } from '../base/index.ts';
import type { ListOrder } from '../transfers/index.ts';
import { isServiceFailure } from './errors.ts';
import type { FileRecord } from './json.ts';
import { type Listing, type ListSource, MAX_ELEMENTS, PAGE_SIZE } from './list.ts';

type FileListing = Listing<FileRecord>;
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

/** Returns the order if times and identifiers agree on it, else null. */
function sharedOrder(records: readonly FileRecord[]): ListOrder | null {
  const order = orderBy(timeOf, records);
  return order === orderBy(({ id }) => id, records) ? order : null;
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
