import type { Answer } from './answer.ts';
import { apiOperation, type CallContext, type CallOptions, callOnce } from './call.ts';
import { ServiceError } from './errors.ts';
import { type ListAnswer, MOST_RECORDS, MOST_UNREADABLE } from './list-answer.ts';
import {
  addPage,
  type Identified,
  isSameMark,
  type Listing,
  markOf,
  type Page,
  type Placing,
  startListing,
} from './listing.ts';
import { type ListKind, PAGE_SIZE, type Paging } from './paging.ts';
import { withRetries } from './retry.ts';

/** Where a list is asked for, and how. */
export interface ListSource<T> {
  kind: ListKind;
  paging: Paging;
  /**
   * Asks for a page: from the entry with index `start` on, or with null as the specified interface
   * asks, without parameters.
   */
  readPage(start: number | null): Promise<Page<T>>;
}

/** Reads pages of the list at `path`, each in a request of its own with the retries of its lane. */
export function pageReader<T>(
  context: CallContext,
  { path, read }: { path: string; read(answer: Answer): Promise<ListAnswer<T>> },
  options: CallOptions,
): ListSource<T>['readPage'] {
  return (start) => {
    const query = start === null ? '' : `?start=${start}&limit=${PAGE_SIZE}`;
    const operation = apiOperation('GET', path + query);
    return withRetries({ ...context, ...options }, () =>
      callOnce(context, { operation, options }, async (answer) => {
        const { serviceTime, askedAt } = answer;
        return { ...(await read(answer)), serviceTime, askedAt };
      }),
    );
  };
}

/**
 * Reads a list to its end: as the specified interface asks, and where that answer may be cut, on
 * from its last record until nothing new comes. Rejects when the first answer does; a page after it
 * that cannot be read, pages that repeat themselves, and a list that does not end leave it `broken`.
 */
export async function readWholeList<T extends Identified>(
  source: ListSource<T>,
): Promise<Listing<T>> {
  return readOn(await beginList(source), source);
}

/** Reads the first answer of a list; `open` when it may be cut. */
export async function beginList<T extends Identified>({
  kind,
  paging,
  readPage,
}: ListSource<T>): Promise<Listing<T>> {
  const page = await readPage(null);
  return startListing(page, page.whole ? paging.judge(kind, page.received) : 'broken');
}

/** As many as 200,000 entries take. */
const MOST_PAGES = 2_000;

/** Reads an open list on, by so many pages at most. The list that was given stays as it was. */
export async function readOn<T extends Identified>(
  begun: Listing<T>,
  source: ListSource<T>,
  mostPages = MOST_PAGES,
): Promise<Listing<T>> {
  if (begun.state !== 'open') return begun;
  let listing = { ...begun, records: new Map(begun.records), odd: new Set(begun.odd) };
  const isStuck = createStuckCheck();
  for (let left = mostPages; left > 0 && listing.state === 'open'; left--) {
    const page = await orNull(source.readPage(listing.next));
    if (!page) return { ...listing, state: 'broken' };
    listing = follow(listing, page, { ...source, isStuck });
  }
  return listing;
}

/**
 * A page, or null where it cannot be read: what was read before it is worth having, so that this is no
 * error of the call. Rejects while the client is being stopped.
 */
export async function orNull<T>(page: Promise<T>): Promise<T | null> {
  return page.catch((error: unknown) => {
    if (error instanceof ServiceError && error.code !== 'SERVICE_STOPPED') return null;
    throw error;
  });
}

function follow<T extends Identified>(
  listing: Listing<T>,
  page: Page<T>,
  { kind, paging, isStuck }: ListSource<T> & { isStuck: StuckCheck },
): Listing<T> {
  if (isAnew(listing, page) && paging.judge(kind, page.received) === 'whole')
    return startListing(page, page.whole ? 'whole' : 'broken');
  const isRepeated = page.received > 1 && isSameMark(listing.latest, markOf(page));
  if (isRepeated) paging.repeats(kind);
  // All that was read cannot be gone at once.
  const isGone = page.received === 0 && listing.next === 0;
  if (isRepeated || isGone) return { ...listing, state: 'broken' };
  if (showsPaging(listing, page)) {
    listing.paged = true;
    const { received } = listing.latest;
    paging.pages(kind, page.received < received ? null : received);
  }
  const placing = addPage(listing, page);
  if (!page.whole || isTooLong(listing) || isStuck(listing, placing))
    return { ...listing, state: 'broken' };
  return placing === 'end' ? { ...listing, state: 'whole' } : listing;
}

// More than was asked for, from the beginning: parameters are ignored, and the list has grown.
function isAnew<T extends Identified>({ records }: Listing<T>, page: Page<T>): boolean {
  const { value: first } = records.keys().next();
  return page.received > PAGE_SIZE && page.records.some(({ id }) => id === first);
}

// That a list pages shows when something new comes after its first answer. A list that changes while
// its first answer is asked for again is none that pages.
function showsPaging<T extends Identified>({ records, paged }: Listing<T>, page: Page<T>): boolean {
  const [first] = page.records;
  if (!first || page.records.every(({ id }) => records.has(id))) return false;
  return paged || [...records.keys()].indexOf(first.id) > records.size / 2;
}

function isTooLong({ records, odd }: Listing<unknown>): boolean {
  return records.size > MOST_RECORDS || odd.size >= MOST_UNREADABLE;
}

/** Pages in a row without a new record: a list that grows at its beginning is followed this far. */
const MOST_IDLE = 6;
/** Pages that had to be left for the one before, because entries went meanwhile. */
const MOST_GAPS = 20;

type StuckCheck = (listing: Listing<unknown>, placing: Placing) => boolean;

// Many pages without anything new, or many that had to be left: the list has no end to be read to.
function createStuckCheck(): StuckCheck {
  let size = 0;
  let idle = 0;
  let gaps = 0;
  return ({ records }, placing) => {
    idle = records.size > size ? 0 : idle + 1;
    size = records.size;
    if (placing === 'gap') gaps += 1;
    return idle > MOST_IDLE || gaps > MOST_GAPS;
  };
}
