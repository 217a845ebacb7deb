import { setImmediate as nextTurn } from 'node:timers/promises';
import { orNull } from '../base/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callWithRetries } from './call.ts';
import { isServiceFailure } from './errors.ts';
import { apiOperation } from './http.ts';
import { parseJson, type ReadRecord } from './json.ts';

/** The most entries read from one response, or of one list. */
export const MAX_ELEMENTS = 200_000;
/** Reading a response or a list stops after this many unreadable entries. */
const MAX_UNREADABLE = 1_000;
/** Entries read before yielding to the event loop: a few milliseconds of work. */
const SLICE = 500;
/** The most entries that a paging account returns in one response (appendix 2, R1). */
export const PAGE_SIZE = 100;

export interface Identified {
  id: number;
}

/** In the service's order; null for each unreadable entry. */
type Entries<T> = readonly (T | null)[];

/** One response to a list request. */
export interface Page<T> extends Pick<Answer, 'askedAt' | 'serviceTime'> {
  entries: Entries<T>;
  /** Whether the response was read to its end. */
  whole: boolean;
}

/**
 * Returns the reader of responses that are JSON arrays. It keeps the readable entries where `read`
 * returns null for others, and yields to the event loop in between.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER for other responses
 */
export function arrayOf<T>(read: ReadRecord<T>) {
  return async (answer: Answer): Promise<Page<T>> => {
    const { text, askedAt, serviceTime } = answer;
    const values = parseJson(text);
    if (!Array.isArray(values)) throw badAnswer(answer, 'something that is no list');
    const entries: (T | null)[] = [];
    let unreadable = 0;
    for (const value of values) {
      if (entries.length >= MAX_ELEMENTS || unreadable >= MAX_UNREADABLE) break;
      const entry = read(value);
      if (entry === null) unreadable += 1;
      if (entries.push(entry) % SLICE === 0) await nextTurn();
    }
    return { entries, whole: entries.length === values.length, askedAt, serviceTime };
  };
}

type Paging = ReturnType<typeof createPaging>;

/**
 * Tracks how the account pages lists of one kind, as learned from its responses (appendix 2, R1).
 * `cuts` are the lengths at which responses were cut, those of other kinds included.
 */
export function createPaging(cuts = new Set([PAGE_SIZE])) {
  let isPaged = false;
  let isLonger = false;
  let isRepeated = false;

  return {
    /** Returns the state of a list after a first response of `received` entries: see Listing. */
    stateAfterFirst: (received: number): 'whole' | 'open' | 'broken' => {
      if (!cuts.has(received)) {
        // A response longer than a page shows that these lists are not cut.
        if (received > PAGE_SIZE) isLonger = true;
        return 'whole';
      }
      if (isPaged) return 'open';
      if (isLonger) return 'whole';
      return isRepeated ? 'broken' : 'open';
    },
    /** Notes that these lists are paged; `cutAt`: the length of a response that was cut. */
    notePages: (cutAt: number): void => {
      isPaged = true;
      if (cutAt > 1) cuts.add(cutAt);
    },
    /** Notes that a request for the next page returned the same page again. */
    noteRepeat: (): void => {
      isRepeated = true;
    },
  };
}

export interface ListSource<T> {
  paging: Paging;
  /** Fetches the page from index `start`; null sends the interface's request without parameters. */
  readPage(start: number | null): Promise<Page<T>>;
}

export interface ListAddress<T> {
  /** Below `{base_url}`; its last word is the kind of the list. */
  path: string;
  read(answer: Answer): Promise<Page<T>>;
}

export type SourceOf = ReturnType<typeof createSourceOf>;

/** Returns the factory of list sources; each page is one request, with its lane's retries. */
export function createSourceOf(context: CallContext) {
  const cuts = new Set([PAGE_SIZE]);
  // By kind of list, because `start` may be honoured only for some.
  const pagings = new Map<string, Paging>();
  return <T>({ path, read }: ListAddress<T>, options: CallOptions): ListSource<T> => {
    const kind = path.slice(path.lastIndexOf('/'));
    const paging = pagings.get(kind) ?? createPaging(cuts);
    pagings.set(kind, paging);
    const readPage = (start: number | null) => {
      const query = start === null ? '' : `?start=${start}&limit=${PAGE_SIZE}`;
      const operation = apiOperation('GET', path + query);
      return callWithRetries(context, { operation, options }, read);
    };
    return { paging, readPage };
  };
}

/** A list, as far as it has been read. */
export interface Listing<T> {
  /**
   * `whole`: the whole list was read. `open`: there may be more pages. `broken`: there may be more,
   * but they cannot be read.
   */
  state: 'whole' | 'open' | 'broken';
  /** By identifier; in the service's order unless the list changed while it was read. */
  records: Map<number, T>;
  /** The indexes, in the service's list, of unreadable entries. */
  unreadable: Set<number>;
  /** The index, in the service's list, of the last record that was read; -1 for none. */
  lastAt: number;
  /** How long the service's list was at the last response. */
  length: number;
  /** The index of the next page: the last record's, so that the overlap shows any gap. */
  next: number;
  lastPage: Entries<T>;
  /** The most entries of one page. */
  longest: number;
  /** Whether the list took more than one page. */
  paged: boolean;
  /** The `Date` header of the first response, in milliseconds since the epoch; null without one. */
  serviceTime: number | null;
  /** Our clock at the first request: files added later may be missing, and deleted ones listed. */
  fetchedAt: number;
}

/** Pages after the first that the caller waits for; a list of more is a large one. */
export const PAGES_AT_ONCE = 2;

/**
 * Reads a list, up to `mostPages` pages after the first. If the first response, without parameters,
 * may be cut, reads on from its last record until nothing new comes. Rejects if the first request
 * does, and on stop or abort.
 */
export async function readList<T extends Identified>(source: ListSource<T>, mostPages?: number) {
  return readOn(startListing(await source.readPage(null), source), source, mostPages);
}

function startListing<T extends Identified>(page: Page<T>, { paging }: ListSource<T>): Listing<T> {
  const { entries, whole, serviceTime, askedAt: fetchedAt } = page;
  const listing: Listing<T> = {
    state: whole ? paging.stateAfterFirst(entries.length) : 'broken',
    records: new Map(),
    unreadable: new Set(),
    lastAt: -1,
    length: entries.length,
    next: 0,
    lastPage: [],
    longest: 0,
    paged: false,
    serviceTime,
    fetchedAt,
  };
  keep(listing, entries);
  return listing;
}

/** The pages of 200,000 entries. */
const MAX_PAGES = 2_000;
/** The most pages in a row without a new record; a list that grows at its start causes some. */
const MAX_IDLE = 6;
/** The most steps back to an earlier page, because entries were deleted meanwhile. */
const MAX_GAPS = 20;

/**
 * Reads more of an open list: up to `mostPages` pages. The result is `broken` if a page cannot be read, pages repeat, or the list does not end.
 * Does not modify `begun`.
 */
export async function readOn<T extends Identified>(
  begun: Listing<T>,
  source: ListSource<T>,
  mostPages = MAX_PAGES,
): Promise<Listing<T>> {
  if (begun.state !== 'open') return begun;
  const listing = {
    ...begun,
    records: new Map(begun.records),
    unreadable: new Set(begun.unreadable),
  };
  let idle = 0;
  let gaps = 0;
  for (let left = mostPages; left > 0 && listing.state === 'open'; left--) {
    const { next: start } = listing;
    const page = await orNull(source.readPage(start), isServiceFailure);
    if (page === null) return { ...listing, state: 'broken' };
    if (isAnew(listing, page, source)) return startListing(page, source);
    const { size } = listing.records;
    const placing = placePage(listing, page.entries, source);
    if (placing === 'gap') gaps += 1;
    else idle = listing.records.size > size ? 0 : idle + 1;
    listing.length = start + page.entries.length;
    if (placing === 'end') listing.state = 'whole';
    // Too many pages without a new record, or too many steps back: the list has no end to reach.
    const isTooLong =
      listing.records.size > MAX_ELEMENTS || listing.unreadable.size >= MAX_UNREADABLE;
    const isEndless = idle > MAX_IDLE || gaps > MAX_GAPS || isTooLong;
    if (placing === 'nowhere' || isEndless || !page.whole) listing.state = 'broken';
  }
  return listing;
}

// More entries than asked for, from the start: the service ignores `start`, and the list has grown.
function isAnew<T extends Identified>(
  { records }: Listing<T>,
  { entries }: Page<T>,
  { paging }: ListSource<T>,
): boolean {
  const { value: first } = records.keys().next();
  const isLonger = entries.length > PAGE_SIZE && entries.some((entry) => entry?.id === first);
  return isLonger && paging.stateAfterFirst(entries.length) === 'whole';
}

/**
 * Adds the page fetched from `next`, and returns how it relates to the records read before:
 *
 * - `follows`: it begins with a known record, so nothing was missed.
 * - `gap`: it does not, because earlier entries were deleted or many were added. It does not count
 *   as read; the page before it is read next.
 * - `end`: the last page: short, with nothing new or after another short page.
 * - `nowhere`: it repeats the previous page, or is empty although it starts at index 0.
 */
function placePage<T extends Identified>(
  listing: Listing<T>,
  entries: Entries<T>,
  { paging }: ListSource<T>,
): 'follows' | 'gap' | 'end' | 'nowhere' {
  const { records, lastPage, longest, next: start } = listing;
  const before = lastPage.length;
  const isRepeated = entries.length > 1 && markOf(entries) === markOf(lastPage);
  if (isRepeated) paging.noteRepeat();
  if (isRepeated || (entries.length === 0 && start === 0)) return 'nowhere';
  const first = entries.find(isReadable);
  const isGap = start > 0 && start <= listing.lastAt && !(first && records.has(first.id));
  const isNew = entries.some((entry) => entry && !records.has(entry.id));
  if (isNew && (listing.paged || showsPaging(records, first))) {
    listing.paged = true;
    paging.notePages(entries.length < before ? 0 : before);
  }
  if (isGap) {
    listing.next = Math.max(0, start - PAGE_SIZE + 1);
    listing.lastAt = listing.next;
    listing.lastPage = entries;
    return 'gap';
  }
  keep(listing, entries);
  return entries.length < longest && (!isNew || before < longest) ? 'end' : 'follows';
}

// New records prove paging only if the page starts with a record from the second half of the first
// response; otherwise it may be the first response again, changed meanwhile.
function showsPaging(records: ReadonlyMap<number, unknown>, first?: Identified | null): boolean {
  return [...records.keys()].indexOf(first?.id ?? -1) > records.size / 2;
}

// Adds the page fetched from `next`, and moves on to the one after it.
function keep<T extends Identified>(listing: Listing<T>, entries: Entries<T>): void {
  const { records, unreadable, next: start } = listing;
  for (const [at, entry] of entries.entries())
    if (entry) records.set(entry.id, entry);
    else unreadable.add(start + at);
  listing.lastPage = entries;
  listing.longest = Math.max(listing.longest, entries.length);
  const last = entries.findLastIndex(isReadable);
  if (last >= 0) listing.lastAt = start + last;
  // A page without a readable record after its first entry offers no overlap, so it is skipped.
  listing.next = last > 0 ? listing.lastAt : start + entries.length;
}

const isReadable = (entry: Identified | null) => entry !== null;

// Equal for two pages of the same length with the same first and last record.
function markOf<T extends Identified>(entries: Entries<T>): string {
  const ids = [entries.find(isReadable)?.id, entries.findLast(isReadable)?.id];
  return [entries.length, ...ids].join(' ');
}
