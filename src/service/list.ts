import { isShareUsed } from './errors.ts';
import { MOST_ELEMENTS, MOST_ODD } from './json.ts';
import { type Identified, type ListSource, orNull, PAGE_SIZE, type Page } from './list-source.ts';

/** A list, as far as it has been read. */
export interface Listing<T> {
  /**
   * `whole`: all of it. `open`: it may go on; a request for what follows tells. `broken`: it may go on,
   * and such requests lead nowhere.
   */
  state: 'whole' | 'open' | 'broken';
  /** By identifier, in the order of the service, as far as nothing came or went meanwhile. */
  records: Map<number, T>;
  /** The indexes, in the service's list, of entries too odd to use. */
  odd: Set<number>;
  /** The index, in the service's list, of the last record that was read; -1 for none. */
  lastAt: number;
  /** The index to read on from: of the last record, which shows that nothing was skipped. */
  next: number;
  /** The newest answer. */
  newest: Page<T>;
  /** The most entries of an answer. */
  longest: number;
  /** Whether one answer did not hold it all. */
  paged: boolean;
  /** The service's clock at the first answer; null when it sent none. */
  serviceTime: number | null;
  /** Our clock at the first request: what came later may be missing. */
  fetchedAt: number;
  /**
   * The same when all of it was last read: at the last request, or at the first where something went
   * meanwhile. What is changed in a record later may not be seen.
   */
  wholeAt: number;
}

/** Pages beyond the first that are read for who asked; a list of more is a large one. */
const PAGES_AT_ONCE = 2;

/**
 * Reads a list when that takes a few requests, else its beginning: as the specified interface asks, and
 * where that answer may be cut, on from its last record until nothing new comes. Rejects when the first
 * answer does.
 */
export async function readQuickly<T extends Identified>(source: ListSource<T>) {
  return readOn(await beginList(source), source, PAGES_AT_ONCE);
}

/** Reads the first answer of a list; `open` when it may be cut. */
export async function beginList<T extends Identified>(source: ListSource<T>): Promise<Listing<T>> {
  return startListing(await source.readPage(null), source);
}

function startListing<T extends Identified>(
  page: Page<T>,
  { kind, paging }: ListSource<T>,
): Listing<T> {
  const { entries, whole, serviceTime, askedAt: fetchedAt } = page;
  const listing: Listing<T> = {
    state: whole ? paging.judge(kind, entries.length) : 'broken',
    records: new Map(),
    odd: new Set(),
    lastAt: -1,
    next: 0,
    newest: page,
    longest: 0,
    paged: false,
    serviceTime,
    fetchedAt,
    wholeAt: fetchedAt,
  };
  keep(listing, page);
  moveOn(listing, page);
  return listing;
}

/** As many as 200,000 entries take. */
const MOST_PAGES = 2_000;
/** Pages in a row without a new record: a list that grows at its beginning is followed this far. */
const MOST_IDLE = 6;
/** Pages that had to be left for the one before, because entries went meanwhile. */
const MOST_GAPS = 20;

/**
 * Reads an open list on, by so many pages at most, or as far as who asks may just now. A page that cannot
 * be read, pages that repeat themselves, and a list that does not end leave it `broken`. The list that was
 * given stays as it was.
 */
export async function readOn<T extends Identified>(
  begun: Listing<T>,
  source: ListSource<T>,
  mostPages = MOST_PAGES,
): Promise<Listing<T>> {
  if (begun.state !== 'open') return begun;
  const listing = { ...begun, records: new Map(begun.records), odd: new Set(begun.odd) };
  let idle = 0;
  let gaps = 0;
  for (let left = mostPages; left > 0 && listing.state === 'open'; left--) {
    const { next: start } = listing;
    const page = await readNext(listing, source);
    if (page === 'later') return listing;
    if (page && isAnew(listing, page, source)) return startListing(page, source);
    const { size } = listing.records;
    const placing = page ? placePage(listing, page, source) : 'nowhere';
    idle = listing.records.size > size ? 0 : idle + 1;
    if (placing === 'gap') gaps += 1;
    if (page && placing === 'end') {
      listing.state = 'whole';
      // What went while it was read is still among the records.
      const isGone = listing.records.size + listing.odd.size > start + page.entries.length;
      if (!isGone) listing.wholeAt = page.askedAt;
    }
    // Many pages without anything new, or many that had to be left: there is no end to be read to.
    const isEndless = idle > MOST_IDLE || gaps > MOST_GAPS || isTooLong(listing);
    if (placing === 'nowhere' || isEndless || !page?.whole) listing.state = 'broken';
  }
  return listing;
}

// That who asks has no call left just now is not the end of the list.
async function readNext<T>(
  { next }: Listing<T>,
  { readPage }: ListSource<T>,
): Promise<Page<T> | null | 'later'> {
  try {
    return await orNull(readPage(next));
  } catch (error) {
    if (isShareUsed(error)) return 'later';
    throw error;
  }
}

// More than was asked for, from the beginning: parameters are ignored, and the list has grown.
function isAnew<T extends Identified>(
  { records }: Listing<T>,
  { entries }: Page<T>,
  { kind, paging }: ListSource<T>,
): boolean {
  const { value: first } = records.keys().next();
  const isLonger = entries.length > PAGE_SIZE && entries.some((entry) => entry?.id === first);
  return isLonger && paging.judge(kind, entries.length) === 'whole';
}

/**
 * Adds the page that was asked for from `next` on, and says where it stands to what was read before:
 *
 * - `follows`: it begins with a record that is known, so nothing before it was missed.
 * - `gap`: it does not, because entries before it were deleted, or many were added. What it holds
 *   is kept; the page before it is the next to be read.
 * - `end`: nothing new came, or no more than is being added while the end is read.
 * - `nowhere`: it is the page before it again, or empty where all that was read should be.
 */
function placePage<T extends Identified>(
  listing: Listing<T>,
  page: Page<T>,
  { kind, paging }: ListSource<T>,
): 'follows' | 'gap' | 'end' | 'nowhere' {
  const { records, newest, longest, next: start } = listing;
  const { entries } = page;
  const before = newest.entries.length;
  const isRepeated = entries.length > 1 && markOf(page) === markOf(newest);
  if (isRepeated) paging.repeats(kind);
  if (isRepeated || (entries.length === 0 && start === 0)) return 'nowhere';
  const first = entries.find(isUsable);
  const isGap = start > 0 && start <= listing.lastAt && !(first && records.has(first.id));
  const isNew = entries.some((entry) => entry && !records.has(entry.id));
  if (isNew && (listing.paged || showsPaging(records, first))) {
    listing.paged = true;
    paging.pages(kind, entries.length < before ? 0 : before);
  }
  keep(listing, page);
  if (isGap) {
    listing.next = Math.max(0, start - PAGE_SIZE + 1);
    listing.lastAt = listing.next;
    return 'gap';
  }
  moveOn(listing, page);
  return entries.length < longest && (!isNew || before < longest) ? 'end' : 'follows';
}

// That a list pages shows when something new comes after its first answer. A list that changes while
// its first answer is asked for again is none that pages.
function showsPaging(records: ReadonlyMap<number, unknown>, first?: Identified | null): boolean {
  return [...records.keys()].indexOf(first?.id ?? -1) > records.size / 2;
}

function keep<T extends Identified>(listing: Listing<T>, page: Page<T>): void {
  for (const entry of page.entries) if (entry) listing.records.set(entry.id, entry);
  listing.newest = page;
  listing.longest = Math.max(listing.longest, page.entries.length);
}

function moveOn<T extends Identified>(listing: Listing<T>, { entries }: Page<T>): void {
  const { odd, next: start } = listing;
  entries.forEach((entry, at) => void (entry || odd.add(start + at)));
  const last = entries.findLastIndex(isUsable);
  if (last >= 0) listing.lastAt = start + last;
  // A page without a record beyond its first is stepped over: it has nothing that could overlap.
  listing.next = last > 0 ? listing.lastAt : start + entries.length;
}

const isUsable = (entry: Identified | null) => entry !== null;

// What tells an answer from another.
function markOf<T extends Identified>({ entries }: Page<T>): string {
  const ids = [entries.find(isUsable)?.id, entries.findLast(isUsable)?.id];
  return [entries.length, ...ids].join(' ');
}

function isTooLong({ records, odd }: Listing<unknown>): boolean {
  return records.size > MOST_ELEMENTS || odd.size >= MOST_ODD;
}
