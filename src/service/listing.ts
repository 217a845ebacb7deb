import type { Answer } from './answer.ts';
import type { ListAnswer } from './list-answer.ts';
import { type Completeness, PAGE_SIZE } from './paging.ts';

export interface Identified {
  id: number;
}

/** One answer of a list. */
export type Page<T> = ListAnswer<T> & Pick<Answer, 'askedAt' | 'serviceTime'>;

/** A list, as far as it has been read. */
export interface Listing<T> {
  /** `whole`: all of it. `open`: up to `next`. `broken`: it cannot be read to its end. */
  state: Completeness;
  /** By identifier, in the order of the service, as far as nothing came or went meanwhile. */
  records: Map<number, T>;
  /** The indexes, in the service's list, of entries too odd to use. */
  odd: Set<number>;
  /** The index, in the service's list, of the last record that was read; -1 for none. */
  lastAt: number;
  /** The index to read on from: of the last record, which shows that nothing was skipped. */
  next: number;
  /** The newest answer. */
  latest: PageMark;
  /** The most entries of an answer. */
  longest: number;
  /** Whether one answer did not hold it all. */
  paged: boolean;
  /** The service's clock at the first answer; null when it sent none. */
  serviceTime: number | null;
  /** Our clock at the first request: what came later may be missing. */
  fetchedAt: number;
}

/** What tells one answer from another. */
interface PageMark {
  received: number;
  firstId: number | undefined;
  lastId: number | undefined;
}

/** A list of which one answer has been read. */
export function startListing<T extends Identified>(page: Page<T>, state: Completeness): Listing<T> {
  const { records, received, lastAt, serviceTime, askedAt } = page;
  return {
    state,
    records: new Map(records.map((record) => [record.id, record])),
    odd: new Set(page.odd),
    lastAt,
    next: lastAt < 0 ? received : lastAt,
    latest: markOf(page),
    longest: received,
    paged: false,
    serviceTime,
    fetchedAt: askedAt,
  };
}

/**
 * Where a page stands to what was read before it:
 *
 * - `follows`: it begins with a record that is known, so nothing before it was missed.
 * - `gap`: it does not, because entries before it were deleted, or many were added. What it holds
 *   is kept; the page before it is the next to be read.
 * - `end`: nothing new came, or no more than is being added while the end is read.
 */
export type Placing = 'follows' | 'gap' | 'end';

/** Adds the page that was asked for from `listing.next` on. */
export function addPage<T extends Identified>(listing: Listing<T>, page: Page<T>): Placing {
  const { records, latest, longest, next: start } = listing;
  const [first] = page.records;
  const isGap = start > 0 && start <= listing.lastAt && !(first && records.has(first.id));
  const before = records.size;
  for (const record of page.records) records.set(record.id, record);
  listing.latest = markOf(page);
  listing.longest = Math.max(longest, page.received);
  if (isGap) {
    listing.next = Math.max(0, start - PAGE_SIZE + 1);
    listing.lastAt = listing.next;
    return 'gap';
  }
  moveOn(listing, page);
  if (page.received >= longest) return 'follows';
  return records.size === before || latest.received < longest ? 'end' : 'follows';
}

function moveOn<T>(listing: Listing<T>, page: Page<T>): void {
  const start = listing.next;
  for (const at of page.odd) listing.odd.add(start + at);
  if (page.lastAt >= 0) listing.lastAt = start + page.lastAt;
  // A page without a record beyond its first is stepped over: it has nothing that could overlap.
  listing.next = page.lastAt > 0 ? listing.lastAt : start + page.received;
}

export function markOf<T extends Identified>({ received, records }: Page<T>): PageMark {
  return { received, firstId: records[0]?.id, lastId: records.at(-1)?.id };
}

export function isSameMark(one: PageMark, other: PageMark): boolean {
  return (
    one.received === other.received && one.firstId === other.firstId && one.lastId === other.lastId
  );
}
