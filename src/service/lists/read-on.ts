import { ServiceError } from '../requests/service-error.ts';
import {
  addPage,
  type Identified,
  type Listing,
  markOf,
  type Placing,
  startListing,
} from './listing.ts';
import { MOST_RECORDS, PAGE_SIZE, type Page, type ReadPage } from './page.ts';
import type { ListKind, Paging } from './paging.ts';

/** As many as 200,000 entries take. */
export const MOST_PAGES = 2_000;
const MOST_UNREADABLE = 1_000;
/** Pages in a row without a new record: a list that grows at its beginning is followed this far. */
const MOST_IDLE = 20;
/** Pages that had to be left for the one before. */
const MOST_GAPS = 20;

export interface ListSource<T> {
  kind: ListKind;
  paging: Paging;
  readPage: ReadPage<T>;
}

/**
 * Reads a list to its end: as the specified interface asks, and where that answer may be cut, on
 * from its last record until nothing new comes. Rejects when the first answer does; a page after it
 * that cannot be read, pages that repeat themselves, and a list that does not end leave it `broken`.
 */
export async function readWholeList<T extends Identified>(
  source: ListSource<T>,
): Promise<Listing<T>> {
  const listing = await beginList(source);
  return readOn(listing, source);
}

/** Reads the first answer of a list; `open` when it may be cut. */
export async function beginList<T extends Identified>({
  kind,
  paging,
  readPage,
}: ListSource<T>): Promise<Listing<T>> {
  const page = await readPage(null);
  const listing = startListing(page);
  return listing.state === 'open'
    ? { ...listing, state: STATE_BY[paging.judge(kind, page.received)] }
    : listing;
}

const STATE_BY = { whole: 'whole', ask: 'open', unknown: 'broken' } as const;

/** Reads an open list on, by so many pages at most. The list that was given stays as it was. */
export async function readOn<T extends Identified>(
  begun: Listing<T>,
  source: ListSource<T>,
  mostPages = MOST_PAGES,
): Promise<Listing<T>> {
  if (begun.state !== 'open') return begun;
  let listing = { ...begun, records: new Map(begun.records) };
  const isStuck = createStuckCheck();
  for (let left = mostPages; left > 0 && listing.state === 'open'; left--) {
    const page = await readFollowing(listing, source);
    listing = page ? follow(listing, page, { ...source, isStuck }) : broken(listing);
  }
  return listing;
}

const broken = <T>(listing: Listing<T>): Listing<T> => ({ ...listing, state: 'broken' });

// What was read is worth having: a page that fails ends the list, and is no error of the call.
async function readFollowing<T>(
  { next }: Listing<T>,
  { readPage }: ListSource<T>,
): Promise<Page<T> | null> {
  try {
    return await readPage(next);
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'SERVICE_STOPPED') return null;
    throw error;
  }
}

function follow<T extends Identified>(
  listing: Listing<T>,
  page: Page<T>,
  { kind, paging, isStuck }: ListSource<T> & { isStuck: StuckCheck },
): Listing<T> {
  if (isAnew(listing, page) && paging.judge(kind, page.received) === 'whole') {
    return { ...startListing(page), state: page.whole ? 'whole' : 'broken' };
  }
  if (isRepeated(listing, page)) {
    paging.repeats(kind);
    return broken(listing);
  }
  // All that was read cannot be gone at once.
  if (page.received === 0 && listing.next === 0) return broken(listing);
  learn(listing, page, { kind, paging });
  const placing = addPage(listing, page);
  if (!page.whole || isTooLong(listing) || isStuck(listing, placing)) return broken(listing);
  return placing === 'end' ? { ...listing, state: 'whole' } : listing;
}

// That a list pages shows when something new comes after its first answer.
function learn<T extends Identified>(
  listing: Listing<T>,
  page: Page<T>,
  { kind, paging }: Pick<ListSource<T>, 'kind' | 'paging'>,
): void {
  const { records, latest } = listing;
  const addsSome = page.records.some(({ id }) => !records.has(id));
  if (!addsSome || !(listing.paged || beginsFarther(listing, page))) return;
  listing.paged = true;
  paging.pages(kind, page.received < latest.received ? null : latest.received);
}

// More than was asked for, from the beginning: parameters are ignored, and the list has grown.
function isAnew<T extends Identified>({ records }: Listing<T>, page: Page<T>): boolean {
  const { value: first } = records.keys().next();
  return page.received > PAGE_SIZE && page.records.some(({ id }) => id === first);
}

function isRepeated<T extends Identified>({ latest }: Listing<T>, page: Page<T>): boolean {
  const { received, firstId, lastId } = markOf(page);
  if (received < 2) return false;
  return received === latest.received && firstId === latest.firstId && lastId === latest.lastId;
}

// A list that changes while its first answer is asked for again is no list that pages.
function beginsFarther<T extends Identified>({ records }: Listing<T>, page: Page<T>): boolean {
  const [first] = page.records;
  return first !== undefined && [...records.keys()].indexOf(first.id) > records.size / 2;
}

function isTooLong({ records, unreadable, trailing }: Listing<unknown>): boolean {
  return records.size > MOST_RECORDS || unreadable + trailing >= MOST_UNREADABLE;
}

type StuckCheck = (listing: Listing<unknown>, placing: Placing) => boolean;

// The same answer twice with nothing new between, many without anything new, or the ground moving
// all the time: it leads nowhere.
function createStuckCheck(): StuckCheck {
  const seen = new Set<string>();
  let size = 0;
  let idle = 0;
  let gaps = 0;
  return ({ records, latest }, placing) => {
    idle = records.size > size ? 0 : idle + 1;
    size = records.size;
    if (placing === 'gap') gaps += 1;
    const step = `${placing} ${size} ${latest.received} ${latest.firstId} ${latest.lastId}`;
    const isKnown = placing !== 'end' && seen.has(step);
    seen.add(step);
    return isKnown || idle > MOST_IDLE || gaps > MOST_GAPS;
  };
}
