import { type ListSource, orNull } from './list.ts';
import { MOST_RECORDS } from './list-answer.ts';
import { orderOf, timeOrderOf } from './list-order.ts';
import type { Listing, Page } from './listing.ts';
import { PAGE_SIZE } from './paging.ts';
import type { FileRecord } from './records.ts';

/** How far the first looks for the end reach, as multiples of what is known. */
const REACHES = [4, 16];
/** Halving 200,000 entries down to a page, after the reaches. */
const MOST_ROUNDS = 14;

type ReadPage = ListSource<FileRecord>['readPage'];

/**
 * The newest files of a list that has been read in part: all that are certain to be newer than any
 * that was not seen. None where that cannot be told: the times of what was seen follow no order, or
 * the end of the list could not be found.
 */
export async function findNewest(
  { records, lastAt }: Listing<FileRecord>,
  readPage: ReadPage,
): Promise<FileRecord[]> {
  const seen = [...records.values()];
  const order = sharedOrder(seen);
  if (order === null) return [];
  if (order === 'newest-first') return seen;
  return (await orNull(readLast(seen, lastAt + 1, readPage))) ?? [];
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
  readPage: ReadPage,
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
 * Finds how many entries a list has, of which `known` are known to be there: looks far ahead, and
 * halves what is left. Null when that does not come to an end.
 */
async function findEnd(
  known: number,
  countFrom: (start: number) => Promise<number>,
): Promise<number | null> {
  let low = known;
  let high = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS && low <= MOST_RECORDS; round++) {
    const looks = probesBetween(low, high).map(async (start) => [start, await countFrom(start)]);
    for (const [start = 0, count = 0] of await Promise.all(looks)) {
      if (count > 0 && count < PAGE_SIZE) return start + count;
      if (count === 0) high = Math.min(high, start);
      else low = Math.max(low, start + count);
    }
    if (low >= high) return low;
  }
  return null;
}

function probesBetween(low: number, high: number): number[] {
  if (high === Number.POSITIVE_INFINITY) return REACHES.map((reach) => low * reach);
  return high - low <= PAGE_SIZE ? [low] : [Math.floor((low + high) / 2)];
}
