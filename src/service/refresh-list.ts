import { beginList, type ListSource, readOn } from './list.ts';
import { orderOf } from './list-order.ts';
import { addPage, type Listing, type Page } from './listing.ts';
import type { FileRecord } from './records.ts';

/** Requests that bringing a list up to date may take; what needs more is read anew. */
const MOST_REQUESTS = 3;

/**
 * Brings a list of many pages up to date when nothing but additions came since it was read. Null
 * when something else did, when its order does not tell where additions come, or when there are too
 * many: it is then to be read anew.
 */
export async function refreshList(
  known: Listing<FileRecord>,
  source: ListSource<FileRecord>,
): Promise<Listing<FileRecord> | null> {
  const order = orderOf([...known.records.values()]);
  if (order === null) return null;
  return order === 'oldest-first' ? addLast(known, source) : addFirst(known, source);
}

// The last record still at its place: everything before it is as it was.
async function addLast(known: Listing<FileRecord>, source: ListSource<FileRecord>) {
  const page = await source.readPage(known.lastAt);
  if (!page.whole || !beginsWithLast(page, known)) return null;
  const { serviceTime, askedAt: fetchedAt } = page;
  const records = new Map(known.records);
  const listing: Listing<FileRecord> = {
    ...known,
    state: 'open',
    records,
    next: known.lastAt,
    serviceTime,
    fetchedAt,
  };
  if (addPage(listing, page) === 'end') return { ...listing, state: 'whole' as const };
  const read = await readOn(listing, source, MOST_REQUESTS - 1);
  return read.state === 'whole' ? read : null;
}

// The records after the new ones are those that were known, and the last has moved by their number.
async function addFirst(known: Listing<FileRecord>, source: ListSource<FileRecord>) {
  let front = await beginList(source);
  let added = newBefore(known, front);
  if (added === null && front.state === 'open') {
    front = await readOn(front, source, 1);
    added = newBefore(known, front);
  }
  if (added === null) return null;
  // Not from where it was: what came while the list was read had moved it already.
  const lastAt = added.length + known.records.size + known.unreadable - 1;
  const end = await source.readPage(lastAt);
  if (!end.whole || end.records.length > 1 || !beginsWithLast(end, known)) return null;
  const records = new Map([...added, ...known.records.values()].map((one) => [one.id, one]));
  const { serviceTime, fetchedAt } = front;
  return { ...known, serviceTime, fetchedAt, records, lastAt, next: lastAt };
}

/** The records before the known ones; null when these do not follow as they were. */
function newBefore(known: Listing<FileRecord>, front: Listing<FileRecord>): FileRecord[] | null {
  const read = [...front.records.values()];
  const at = read.findIndex(({ id }) => known.records.has(id));
  if (at === -1) return null;
  const expected = known.records.keys();
  const isRun = read.slice(at).every(({ id }) => id === expected.next().value);
  return isRun ? read.slice(0, at) : null;
}

function beginsWithLast(page: Page<FileRecord>, known: Listing<FileRecord>): boolean {
  return page.records[0]?.id === [...known.records.keys()].at(-1);
}
