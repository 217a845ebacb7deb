import { type Identified, type Listing, type ListSource, PAGE_SIZE } from './list.ts';

/** The search for the end of the list multiplies its index by this, until it has passed the end. */
const REACH = 4;
/** The most requests that the search takes in a list of 200,000 entries. */
const MAX_LOOKS = 18;

/**
 * Returns the numbers of the last page of a list that was begun, found by exponential and then binary
 * search; none if the search does not end.
 */
export async function readLastPage(
  { lastAt }: Listing<Identified>,
  { readPage }: ListSource<Identified>,
): Promise<number[]> {
  let low = lastAt + 1;
  let high = Number.POSITIVE_INFINITY;
  for (let looks = 0; low < high; looks++) {
    if (looks === MAX_LOOKS) return [];
    const start = startBetween(low, high);
    const { entries } = await readPage(start);
    if (entries.length < PAGE_SIZE) high = start + entries.length;
    if (entries.length > 0) low = start + entries.length;
  }
  const { entries } = await readPage(Math.max(0, low - PAGE_SIZE));
  return entries.flatMap((entry) => (entry ? [entry.id] : []));
}

function startBetween(low: number, high: number): number {
  if (high === Number.POSITIVE_INFINITY) return low * REACH;
  return high - low <= PAGE_SIZE ? low : Math.floor((low + high) / 2);
}
