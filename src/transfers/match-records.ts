import { CLOCKS_APART_MS, type Sent } from './looks.ts';
import { alikeNames, sameName } from './names.ts';

/** What a create is known by. */
export interface Named {
  name: string;
  byteSize: number;
}

/** A create whose outcome is unknown. */
export interface OpenCreate extends Named, Sent {
  /** The greatest identifier of a record that was in the folder before; null when none is known. */
  lastRecord: number | null;
}

/** What a ledger keeps of a create. */
interface KeptCreate {
  name: string;
  byteSize: number | null;
  serviceTime: number | null;
  creatingSince: number | null;
  answeredAt: number | null;
  lastRecord: number | null;
}

/** The same as the search for its record takes it; empty for one whose upload is not known. */
export function openCreate<T extends KeptCreate>(kept: T, now: number): (T & OpenCreate)[] {
  const { byteSize, serviceTime: since, creatingSince } = kept;
  return byteSize === null ? [] : [{ ...kept, byteSize, since, sentAt: creatingSince ?? now }];
}

/** What a folder's listing says of a file: the part that a match is made by. */
export interface Candidate {
  id: number;
  name: string;
  /** Null when the service does not tell it: that contradicts no size. */
  byteSize: number | null;
  createdAt: number | null;
  creatorId: number | null;
}

/**
 * What a folder says of an open create: the record that it left, that it left none, or neither, so
 * that it may not be sent again.
 */
export type Match<T> = { verdict: 'found'; record: T } | { verdict: 'absent' | 'unclear' };

/**
 * The files that an open create may have left in its folder: those that look like it, unless both
 * their time and their identifier say that they were there before.
 */
export function possibleRecords<T extends Candidate>(open: OpenCreate, files: readonly T[]): T[] {
  return files.filter((file) => mayBe(open, file) && ageOf(open, file) !== 'old');
}

/** The files that are by one of `creators`, as far as they tell; all while none is known. */
export function recordsBy<T extends Candidate>(
  creators: ReadonlySet<number>,
  files: readonly T[],
): T[] {
  return files.filter(
    ({ creatorId: id }) => id === null || creators.size === 0 || creators.has(id),
  );
}

/**
 * Which of the possible records is an open create's. The caller has left out those that other transfers
 * hold; `others` are files whose records in the folder are not known either.
 *
 * - A new record of its very name and size is its own, the oldest of several: only one file of a name
 *   and size is on its way into a folder at a time. One that may as well be another's is not.
 * - Else a record that looks like it is its own where it is the only one, and looks like none of `others`.
 * - One that has only its size leaves it `unclear`: a service may rename what it files, so that this is
 *   no proof of a record, and no proof of absence.
 * - One that looks like another's, and not like it, is passed over.
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
 * Whether a file was in its folder before a create: `old` when its time and its identifier say so,
 * `doubtful` when one of them does, for clocks go wrong and nothing says that identifiers ascend.
 */
export function ageOf(open: OpenCreate, file: Candidate): 'new' | 'doubtful' | 'old' {
  const oldById = open.lastRecord !== null && file.id <= open.lastRecord;
  const oldByTime = file.createdAt !== null && file.createdAt < earliest(open);
  if (oldById && oldByTime) return 'old';
  return oldById || oldByTime ? 'doubtful' : 'new';
}

/** Whether another create was sent so late that what it left may look as new as what `open` left. */
export function isAsNew(open: OpenCreate, other: Sent): boolean {
  return other.sentAt >= earliest(open) - CLOCKS_APART_MS;
}

/** Whether a file has a create's very name and size. */
export function isSame(one: Named, file: Candidate): boolean {
  return file.byteSize === one.byteSize && sameName(one.name, file.name);
}

/** Whether a file has a create's name or one alike, and its size as far as it tells it. */
export function looksLike(one: Named, file: Candidate): boolean {
  const sameSize = file.byteSize === null || file.byteSize === one.byteSize;
  return sameSize && alikeNames(one.name, file.name);
}

/** Whether a file may be a create's: it looks like it, or was renamed and has its size. */
export function mayBe(one: Named, file: Candidate): boolean {
  return file.byteSize === one.byteSize || looksLike(one, file);
}

// By no clock alone: the earlier of what both say.
function earliest({ since, sentAt }: OpenCreate): number {
  return Math.min(since ?? sentAt, sentAt) - CLOCKS_APART_MS;
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.id - b.id;
}

// One thing may be missing, not two; and without any time a file of long ago would do.
function isVague(open: OpenCreate, file: Candidate): boolean {
  if (isTimeless(open, file) || ageOf(open, file) !== 'new' || !looksLike(open, file)) return true;
  return file.byteSize === null && !sameName(open.name, file.name);
}

function isTimeless({ since }: OpenCreate, { createdAt }: Candidate): boolean {
  return since === null && createdAt === null;
}

/** One way of telling whose a record is, for those who are left over by the ways before. */
interface Round {
  /** Whether a record may be a create's. */
  like: (one: Named, record: Candidate) => boolean;
  /**
   * Which of several is taken: the `newest`; none, so that there must be the `only` one; or each in
   * its place `in-order`, when there are as many records as creates that they may be of.
   */
  of: 'newest' | 'only' | 'in-order';
}

const ROUNDS: readonly Round[] = [
  // Older ones of the folder may be among them.
  { like: isSame, of: 'newest' },
  { like: looksLike, of: 'only' },
  { like: (one, { byteSize }) => byteSize === one.byteSize, of: 'in-order' },
  { like: (_one, { byteSize }) => byteSize === null, of: 'in-order' },
];

/**
 * Which record is whose, of files that were all created: `sought` in the order in which they were
 * sent, `records` in any. By name and size, then by a name alike where that is unmistakable; then by
 * size, and where no size is told, in order; then as `more` says.
 *
 * @returns for each of `sought`, its record, or null when that cannot be told
 */
export function assignRecords<T extends Candidate>(
  sought: readonly Named[],
  records: readonly T[],
  more: readonly Round[] = [],
): (T | null)[] {
  // What is not paired yet, in the order of the creates and of the identifiers.
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

// Of those in order, who comes first takes the first, so that the others' places stay as they are.
function pick<T extends Candidate>(
  { like, of }: Round,
  one: Named,
  left: { sought: Named[]; records: T[] },
): T | undefined {
  const records = left.records.filter((record) => like(one, record));
  if (of === 'newest') return records.at(-1);
  const rivals = left.sought.filter((other) => records.some((record) => like(other, record)));
  if (records.length !== rivals.length) return undefined;
  return of === 'only' && records.length > 1 ? undefined : records[rivals.indexOf(one)];
}
