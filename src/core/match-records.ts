import { CLOCKS_APART_MS, type Sent } from './looks.ts';
import type { FolderRecord } from './mirror-rules.ts';
import { alikeNames, sameName } from './names.ts';
import type { TransferState } from './state.ts';

/** The name and size by which a folder's records are matched to a create. */
export interface Named {
  name: string;
  byteSize: number;
}

/** A create whose outcome or record is unknown. */
export interface OpenCreate extends Named, Sent {
  /** When its attachment was uploaded, by our clock; null if unknown. */
  uploadedAt: number | null;
  /** The greatest record that transfers held in its folder before: 0 for none, null if unknown. */
  lastRecord: number | null;
}

/** Returns a stored create for matching. Takes `now` for an unknown time. */
export function openCreate<T extends { byteSize: number | null; creatingSince: number | null }>(
  kept: T,
  now: number,
): T & { byteSize: number; creatingSince: number } {
  // The upload before the create recorded the size.
  return { ...kept, byteSize: kept.byteSize ?? 0, creatingSince: kept.creatingSince ?? now };
}

/** What a folder's list says of a file, as far as matching uses it. An unstated size rules out none. */
export type Candidate = Pick<FolderRecord, 'id' | 'name' | 'byteSize' | 'createdAt' | 'creatorId'>;

/**
 * What a folder's list shows of an open create: its record, no record, or neither for certain
 * (`unclear`), so that it must not be sent again.
 */
export type Match<T> = { verdict: 'found'; record: T } | { verdict: 'absent' | 'unclear' };

/** A transfer whose record in its folder is unknown: its create is open, or it is filed without. */
interface Unidentified extends OpenCreate {
  id: number;
  state: TransferState;
}

/** What a folder's list and the ledger show of the transfers whose record there is unknown. */
export interface UnidentifiedIn<O extends Unidentified, T extends Candidate> {
  open: readonly O[];
  /** The files that no transfer holds. */
  free: readonly T[];
  /** The users whose keys created our records, as far as they are known. */
  creators: ReadonlySet<number>;
}

/**
 * Returns what a folder shows of an open create, with the records that may be its own: `records` are
 * by our creators, see recordsBy, and `byOthers` counts the rest.
 */
export function seekRecord<T extends Candidate>(
  own: Unidentified,
  { open, free, creators }: UnidentifiedIn<Unidentified, T>,
): { match: Match<T>; records: T[]; byOthers: number } {
  const possible = possibleRecords(own, free);
  const records = recordsBy(creators, possible);
  const match = matchRecord(own, records, othersBeside(own, open));
  return { match, records, byOthers: possible.length - records.length };
}

/** Returns the other transfers that may have left a record as new as this create's. */
export function othersBeside<O extends Unidentified>(own: Unidentified, open: readonly O[]): O[] {
  return open.filter(
    (other) => other.id !== own.id && (other.state !== 'filed' || isAsNew(own, other)),
  );
}

/**
 * Returns the files that an open create may have left in its folder: those that may be its own by
 * name or size, unless both their time and their identifier say that they were there before.
 */
export function possibleRecords<T extends Candidate>(open: OpenCreate, files: readonly T[]): T[] {
  // Names are compared last: that takes longest, and most files of a large folder are old.
  return files.filter((file) => ageOf(open, file) !== 'old' && mayBe(open, file));
}

/** A file that is looked for before it is sent: it may have been filed before. */
export interface SoughtFile {
  name: string;
  /** As uploaded, or as Slack states it; null if neither is known. */
  size: number | null;
  /** When its message was shared, in epoch milliseconds. */
  sharedAt: number;
}

/** What narrows down the records of a folder that may be those of open creates or of files sought. */
export interface CandidateBounds {
  /** Candidates have a higher number than this, or null for any; or are as late as `createdAt`. */
  number: number | null;
  createdAt: number;
  /** Candidates have one of these sizes, or none that is stated; null for any size. */
  sizes: number[] | null;
}

/**
 * Returns the bounds of the records that may be these creates' own, or those of these files that are
 * sought: see ageOf, mayBe and earlierRecords.
 */
export function boundsOf(
  open: readonly OpenCreate[],
  sought: readonly SoughtFile[],
): CandidateBounds {
  const numbers = open.flatMap(({ lastRecord }) => lastRecord ?? []);
  const times = [...open.map(earliest), ...sought.map(earliestOf)];
  const sizes = [...open.map(({ byteSize }) => byteSize), ...sought.map(({ size }) => size)];
  const known = sizes.filter((size) => size !== null);
  return {
    number: numbers.length < open.length ? null : Math.min(...numbers, Number.MAX_SAFE_INTEGER),
    createdAt: Math.min(...times),
    sizes: known.length < sizes.length ? null : [...new Set(known)],
  };
}

function earliestOf({ sharedAt }: Pick<SoughtFile, 'sharedAt'>): number {
  return sharedAt - CLOCKS_APART_MS;
}

/** Returns the files by one of `creators` or by an unstated creator; all if `creators` is empty. */
export function recordsBy<T extends Candidate>(
  creators: ReadonlySet<number>,
  files: readonly T[],
): T[] {
  return files.filter(
    ({ creatorId: id }) => id === null || creators.size === 0 || creators.has(id),
  );
}

/**
 * Returns which of the possible records is an open create's. The caller has left out records that
 * other transfers hold; `others` are files whose records in the folder are unknown too.
 *
 * - A new record with its exact name and size is its own, the oldest of several: only one file of a
 *   name and size is on its way into a folder at a time. A record that has the exact name and size
 *   of one of `others` too is not certain.
 * - Otherwise a record that looks like it is its own if it is the only one left, looks like none of
 *   `others`, and is not vague: see isVague.
 * - A record that has only its size makes it `unclear`: a service may rename files, so this proves
 *   neither its record nor the absence of one.
 * - A record that looks like one of `others` and not like it is ignored.
 */
export function matchRecord<T extends Candidate>(
  open: OpenCreate,
  possible: readonly T[],
  others: readonly Named[],
): Match<T> {
  const own = possible.filter((file) => !others.some((other) => isSame(other, file)));
  const certain = own
    .filter((file) => isSame(open, file) && ageOf(open, file) === 'new' && !isTimeless(open, file))
    .sort(oldestFirst)[0];
  if (certain) return { verdict: 'found', record: certain };
  const isLikeOthers = (file: T) => others.some((other) => looksLike(other, file));
  const telling = possible.filter((file) => looksLike(open, file) || !isLikeOthers(file));
  const [record] = telling;
  if (!record) return { verdict: 'absent' };
  const isAlone = telling.length === 1 && !isLikeOthers(record);
  if (!isAlone || isVague(open, record)) return { verdict: 'unclear' };
  return { verdict: 'found', record };
}

/**
 * Returns which of a folder's records may be that of a sought file, oldest first: those with
 * its exact name and size, and newer than its message; `byOthers` counts those by others than our
 * creators. `unclear`: one that looks like it may be an open create's instead, and is left out.
 */
export function earlierRecords<T extends Candidate>(
  { name, size, sharedAt }: SoughtFile,
  { open, free, creators }: UnidentifiedIn<Unidentified, T>,
): { verdict: 'clear' | 'unclear'; records: T[]; byOthers: number } {
  const hasSize = ({ byteSize }: T) => byteSize === null || size === null || byteSize === size;
  const isNewer = ({ createdAt }: T) => createdAt === null || createdAt >= earliestOf({ sharedAt });
  const alike = free.filter((file) => hasSize(file) && isNewer(file) && sameName(name, file.name));
  const records = recordsBy(creators, alike).toSorted(oldestFirst);
  const isOpen = (file: T) =>
    open.some((one) => looksLike(one, file) && ageOf(one, file) !== 'old');
  const own = records.filter((file) => !isOpen(file));
  const verdict = own.length < records.length ? 'unclear' : 'clear';
  return { verdict, records: own, byOthers: alike.length - records.length };
}

/**
 * Returns whether a file was in its folder before a create: `old` if its time and its identifier
 * say so; `doubtful` if one does, because clocks go wrong and identifiers are not known to ascend.
 */
export function ageOf(open: OpenCreate, file: Candidate): 'new' | 'doubtful' | 'old' {
  const oldById = open.lastRecord !== null && file.id <= open.lastRecord;
  const oldByTime = file.createdAt !== null && file.createdAt < earliest(open);
  if (oldById && oldByTime) return 'old';
  return oldById || oldByTime ? 'doubtful' : 'new';
}

/** Whether another create was sent so late that its record may look as new as that of `open`. */
export function isAsNew(open: OpenCreate, other: Sent): boolean {
  return other.creatingSince >= earliest(open) - CLOCKS_APART_MS;
}

/** What a list shows of a file by which it is compared with what was filed. */
export type Shown = Pick<Candidate, 'name' | 'byteSize'>;

/** The names and size with which a file was filed. */
export interface FiledName extends Named {
  /** The name that the service gave its record, as some name files themselves. Default: unknown. */
  recordName?: string | null;
}

/**
 * Whether a record still is what was filed under its number. A service may give the number of a
 * deleted record to another file: only one of that size and of that name, the one that the service
 * gave it, or a similar one counts, or of that name alone if no size is stated. So a record that
 * people rename is not known any more.
 */
export function isStillFiledAs(filed: FiledName, record: Shown): boolean {
  const { recordName } = filed;
  if (typeof recordName === 'string' && sameName(recordName, record.name))
    return hasSizeOf(filed, record);
  return record.byteSize === null ? sameName(filed.name, record.name) : looksLike(filed, record);
}

/** A transfer that has a record's number, as it was filed. */
export interface Held extends FiledName {
  state: TransferState;
}

/**
 * Whether a transfer holds a record, so that it is none of the `open` creates'; undefined: no transfer
 * has its number. The number of a deleted record may come back for another file. The record may have
 * been deleted in the service too: then the ledger does not know, and only a file of another size, or
 * one that looks like an open create's, is told from a record that people or the service renamed.
 */
export function isHeld(held: Held | undefined, record: Shown, open: readonly Named[]): boolean {
  if (!held) return false;
  const isRenamed =
    held.state !== 'deleted' &&
    hasSizeOf(held, record) &&
    !open.some((one) => looksLike(one, record));
  return isRenamed || isStillFiledAs(held, record);
}

/** Whether a file has a create's exact name, by sameName, and its size. */
export function isSame(one: Named, file: Shown): boolean {
  return file.byteSize === one.byteSize && sameName(one.name, file.name);
}

/** Whether a file has a create's name or a similar one, and its size unless that is unknown. */
export function looksLike(one: Named, file: Shown): boolean {
  return hasSizeOf(one, file) && alikeNames(one.name, file.name);
}

function hasSizeOf(one: Named, { byteSize }: Shown): boolean {
  return byteSize === null || byteSize === one.byteSize;
}

/** Whether a file may be a create's: it looks like it, or was renamed and has its size. */
export function mayBe(one: Named, file: Shown): boolean {
  return file.byteSize === one.byteSize || looksLike(one, file);
}

// The earliest of all times: neither the service's clock nor ours is trusted alone, and an earlier
// create of the same attachment may have left the record.
function earliest({ serviceTime, uploadedAt, creatingSince: sentAt }: OpenCreate): number {
  return Math.min(serviceTime ?? sentAt, uploadedAt ?? sentAt, sentAt) - CLOCKS_APART_MS;
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.id - b.id;
}

// Its size may be unknown, or its name only similar, not both. Without any time, old files fit too.
function isVague(open: OpenCreate, file: Candidate): boolean {
  if (isTimeless(open, file) || ageOf(open, file) !== 'new' || !looksLike(open, file)) return true;
  return file.byteSize === null && !sameName(open.name, file.name);
}

function isTimeless({ serviceTime }: OpenCreate, { createdAt }: Candidate): boolean {
  return serviceTime === null && createdAt === null;
}

/** A rule that assigns the creates and records that the rules before it left over. */
interface Round {
  /** Whether a record may be a create's. */
  like: (one: Named, record: Candidate) => boolean;
  /**
   * Which of the records that fit a create is its own. `newest`: the one in the create's place among
   * those with the greatest identifiers, as many as the creates that they fit; `only`: the single
   * one, if it fits no other create; `in-order`: the one in the create's place, if the records that
   * fit it are as many as the creates that they fit.
   */
  choose: 'newest' | 'only' | 'in-order';
}

const ROUNDS: readonly Round[] = [
  // The folder may hold older files of the same name and size.
  { like: isSame, choose: 'newest' },
  { like: looksLike, choose: 'only' },
  { like: (one, { byteSize }) => byteSize === one.byteSize, choose: 'in-order' },
  { like: (_one, { byteSize }) => byteSize === null, choose: 'in-order' },
];

/**
 * Matches records to files that were all created: `sought` in the order sent, `records` in any
 * order. By name and size; then by a similar name, if unambiguous; then by size, and records
 * without a stated size, in order; then by the rules in `more`.
 *
 * @returns for each of `sought`, its record, or null if that is unknown
 */
export function assignRecords<T extends Candidate>(
  sought: readonly Named[],
  records: readonly T[],
  more: readonly Round[] = [],
): (T | null)[] {
  // Not paired yet: creates in the order sent, records by identifier.
  const left = { sought: [...sought], records: records.toSorted((a, b) => a.id - b.id) };
  const found = new Map<Named, T>();
  for (const round of [...ROUNDS, ...more]) {
    for (const one of [...left.sought]) {
      const record = pick(round, one, left);
      if (!record) continue;
      found.set(one, record);
      left.sought.splice(left.sought.indexOf(one), 1);
      left.records.splice(left.records.indexOf(record), 1);
    }
  }
  return sought.map((one) => found.get(one) ?? null);
}

// The first create takes the first record in question, so the rest stay in matching places.
function pick<T extends Candidate>(
  { like, choose }: Round,
  one: Named,
  left: { sought: Named[]; records: T[] },
): T | undefined {
  const records = left.records.filter((record) => like(one, record));
  const rivals = left.sought.filter((other) => records.some((record) => like(other, record)));
  if (choose === 'newest') return records.at(-rivals.length);
  if (records.length !== rivals.length) return undefined;
  return choose === 'only' && records.length > 1 ? undefined : records[rivals.indexOf(one)];
}
