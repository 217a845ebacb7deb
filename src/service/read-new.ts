import { isDeepStrictEqual } from 'node:util';
import { type ListOrder, orderOfNumbers } from '../core/index.ts';
import type { Identified, ListSource, Page } from './list.ts';

/** What was known of a sorted list before, to find what is new. */
interface Before {
  order: ListOrder;
  highest: number;
  /** Returns how many of its entries are known now: all, or those with a number below. */
  count(below?: number): Promise<number>;
}

/** `highest` and `length`: of the whole list; `length` null if that changed meanwhile. */
interface NewPart {
  highest: number;
  length: number | null;
  first: Page<Identified>;
}

/** The most pages in which to find what is new; a list that has more is read anew. */
const MAX_NEW_PAGES = 3;

/**
 * Reads the new part of a sorted list. Oldest first, that is from the last known record until nothing
 * follows; newest first, from the front to a known one, then whether the end is where it was, and
 * whether the front is still the same: what is added meanwhile could stand in for what is gone.
 */
export async function readNew(
  source: ListSource<Identified>,
  before: Before,
): Promise<NewPart | null> {
  const { order, highest, count } = before;
  const isForward = order === 'oldest-first';
  let start = isForward ? Math.max(0, (await count(highest + 1)) - 1) : null;
  const numbers: number[] = [];
  let first: Page<Identified> | null = null;
  for (let pages = 0; pages < MAX_NEW_PAGES; pages++) {
    const page: Page<Identified> = await source.readPage(start);
    first ??= page;
    const [begins, ...more] = idsOf(page);
    const isFirst = numbers.length === 0;
    const follows = isFirst ? !isForward || (begins ?? 0) <= highest : begins === numbers.at(-1);
    if (begins === undefined || !follows) return null;
    numbers.push(...(isFirst ? [begins] : []), ...more);
    start = (start ?? 0) + more.length;
    const isOver = isForward ? more.length === 0 : (more.at(-1) ?? begins) <= highest;
    if (!isOver) continue;
    if (numbers.length > 1 && orderOfNumbers(numbers) !== order) return null;
    const length = isForward
      ? start + page.entries.length
      : await lengthBehind(first, source, count);
    return { highest: Math.max(highest, ...numbers), length, first };
  }
  return null;
}

/** Returns the length of a list whose front is known; null if that is another by now. */
async function lengthBehind(
  front: Page<Identified>,
  source: ListSource<Identified>,
  count: Before['count'],
): Promise<number | null> {
  const end = Math.max(0, (await count()) - 1);
  const { entries } = await source.readPage(end);
  const now = idsOf(await source.readPage(null));
  const isSame = now.length > 0 && isDeepStrictEqual(now, idsOf(front));
  return isSame ? end + entries.length : null;
}

/** Returns the identifiers of a page; none if some of it cannot be read. */
function idsOf({ entries, whole }: Page<Identified>): number[] {
  const ids = entries.flatMap((entry) => (entry ? [entry.id] : []));
  return whole && ids.length === entries.length ? ids : [];
}
