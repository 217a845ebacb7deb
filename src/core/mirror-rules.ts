/*
 * The rules by which lists change what is known of a folder. Each folder has a counter, from which
 * each reading takes a number when it begins, and each write to the folder's records:
 *
 * 1. A page begins at the last record read; one that does not is not counted as read: see list.ts.
 * 2. A record carries the number of its last write. A list changes a record only if the list was
 *    requested at a later number, so that a list in flight never takes back what was learned since.
 *    What a list misses was missed when the reading began, and carries that number.
 * 3. A record is gone if a complete list misses it, and the list's numbers are sorted or it came in
 *    one answer; otherwise if two lists miss it, each as long as its last index says.
 * 4. The newest records are all known once sorted pages reach a number that was the highest before.
 *    If the list's length is then the count of the records that are known, and its front is still the
 *    same, all are, unless one came late under an older number while another went: so an absence is
 *    proven by a whole list only.
 */

/** What a folder's list says of a file. Times are milliseconds since the epoch. */
export interface FolderRecord {
  id: number;
  name: string;
  /** Null if the service does not state it. */
  byteSize: number | null;
  createdAt: number | null;
  approvedCount: number;
  fileType: string | null;
  proofCount: number;
  url: string | null;
  creatorId: number | null;
}

/** What is known of a folder as a whole; times by our clock unless said otherwise. */
export interface KnownFolder {
  id: number;
  /** Grows with each reading that begins and each write to its records. */
  counter: number;
  /** The number of the last write. */
  written: number;
  /** Null if its list is not sorted by the files' numbers, or that is unknown. */
  listOrder: ListOrder | null;
  /** 1 if its list comes in several answers. */
  paged: number;
  /** The highest number that a list has shown which proved what is known; 0 for none. */
  highest: number;
  /** Records of the list that cannot be read. */
  unreadable: number;
  /** When its list was last read from start to end; null for never. */
  readAt: number | null;
  /** When the last list was requested after which all records were known; null for none. */
  completeAt: number | null;
  /** The service's clock at that list. */
  serviceTime: number | null;
}

/** What a reading proves of a folder: that all its records are known, as of `completeAt`. */
export interface Proof extends Omit<KnownFolder, 'id' | 'counter' | 'written' | 'readAt'> {
  /** Our clock at the reading's first request. */
  completeAt: number;
  /** Our clock after the last, for a list read from start to end; default: the earlier one stays. */
  readAt?: number;
  /** It proves nothing unless this many records are known, and this was the last write. */
  only?: { written: number; count: number };
}

/** A later creation time than this is another file's, in milliseconds. */
const SAME_FILE_MS = 5 * 60_000;

/**
 * Whether a list shows another file under a number that was known: one that was created later; or,
 * where a time is missing, one of another name and another size.
 */
export function isAnotherFile(known: FolderRecord, listed: FolderRecord): boolean {
  if (known.createdAt !== null && listed.createdAt !== null)
    return listed.createdAt - known.createdAt > SAME_FILE_MS;
  return known.name !== listed.name && known.byteSize !== listed.byteSize;
}

/** What is known of a record, with the numbers of rule 2. */
export interface KnownRecord extends FolderRecord {
  /** The folder's counter when this file was first written, and last changed. */
  firstSeen: number;
  changedIn: number;
  /** Our clock when it was found to be gone; null while the record is there. */
  goneSince: number | null;
}

/** What a list changes: `added` is a record or file that is new to the folder. */
export type Change = 'none' | 'added' | 'changed';

/** Returns what a list changes that was requested at the number `asked`: rule 2. */
export function changeBy(
  known: KnownRecord | undefined,
  listed: FolderRecord,
  asked: number,
): Change {
  if (!known) return 'added';
  if (known.changedIn >= asked) return 'none';
  if (isAnotherFile(known, listed)) return 'added';
  return known.goneSince === null && isSameRecord(known, listed) ? 'none' : 'changed';
}

function isSameRecord(known: FolderRecord, listed: FolderRecord): boolean {
  return (
    known.name === listed.name &&
    known.byteSize === listed.byteSize &&
    known.url === listed.url &&
    known.createdAt === listed.createdAt &&
    known.creatorId === listed.creatorId &&
    known.fileType === listed.fileType &&
    known.approvedCount === listed.approvedCount &&
    known.proofCount === listed.proofCount
  );
}

/** Where a list shows the latest addition: at its end, or at its start. */
export type ListOrder = 'oldest-first' | 'newest-first';

/** Returns the order of a list by its numbers; null if they are not sorted, or fewer than two. */
export function orderOfNumbers(numbers: Iterable<number>): ListOrder | null {
  let order: ListOrder | null = null;
  let last: number | null = null;
  for (const number of numbers) {
    const step = last === null ? null : number > last ? 'oldest-first' : 'newest-first';
    if (order !== null && step !== order) return null;
    order = step;
    last = number;
  }
  return order;
}

/** A list that was read to its end. */
interface WholeList {
  order: ListOrder | null;
  /** Whether it took more than one answer. */
  paged: boolean;
  /** The records that were read. */
  read: number;
  /** How long the last page shows the list to be. */
  length: number;
}

/**
 * Whether a list that was read to its end shows all that was there: `yes`, or `twice` if a record
 * may have changed its place meanwhile, so that what it misses must be missed by a second one: rule 3.
 */
export function isProof({ order, paged, read, length }: WholeList): 'yes' | 'twice' | 'no' {
  if (order !== null || !paged || length < 2) return 'yes';
  return read === length ? 'twice' : 'no';
}
