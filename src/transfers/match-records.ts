import { alikeNames, sameName } from './alike-names.ts';

/** What a create is known by. */
export interface Named {
  name: string;
  byteSize: number;
}

/** A create whose outcome is unknown. */
export interface OpenCreate extends Named {
  /** The service's clock when the upload was answered: no record of it can be older. */
  since: number | null;
  /** Our clock when the create was sent, or later; stands in for a clock of the service. */
  sentAt: number;
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
 * Whole minutes, for a service whose times have no seconds, and a few seconds between the clocks of
 * its machines. Records of ours that are so old are held by other transfers.
 */
const CLOCK_GRAIN_MS = 65_000;
/** How far our clock may be ahead of the service's. */
const CLOCKS_APART_MS = 5 * 60_000;

/**
 * The files that an open create may have left in its folder: of its name or one alike, as far as
 * they tell of its size, and made no earlier than the upload.
 */
export function possibleRecords<T extends Candidate>(open: OpenCreate, files: readonly T[]): T[] {
  return files.filter((file) => looksLike(open, file) && isNewEnough(open, file));
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
 * Which of the possible records, those that other transfers hold left out, is an open create's. The
 * oldest of several of its very name and size is taken.
 *
 * A name and size is in flight once at a time in a folder (see ServiceClient.createFile), so what
 * is found belongs to this create. A record of another name, or one that does not tell its size, is
 * its own when it is alone and can be of none of `others`, the other creates open in the folder.
 */
export function matchRecord<T extends Candidate>(
  open: OpenCreate,
  possible: readonly T[],
  others: readonly Named[],
): Match<T> {
  const [certain] = possible.filter((file) => isCertain(open, file)).sort(oldestFirst);
  if (certain) return { verdict: 'found', record: certain };
  const [record] = possible;
  if (!record) return { verdict: 'absent' };
  const isAlone = possible.length === 1 && !others.some((other) => looksLike(other, record));
  if (!isAlone || isVague(open, record)) return { verdict: 'unclear' };
  return { verdict: 'found', record };
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.id - b.id;
}

function isCertain(open: OpenCreate, file: Candidate): boolean {
  const { name, byteSize } = file;
  return byteSize === open.byteSize && sameName(open.name, name) && !isTimeless(open, file);
}

// One thing may be missing, not two; and without any time a file of long ago would do.
function isVague(open: OpenCreate, file: Candidate): boolean {
  return isTimeless(open, file) || (file.byteSize === null && !sameName(open.name, file.name));
}

function isTimeless({ since }: OpenCreate, { createdAt }: Candidate): boolean {
  return since === null && createdAt === null;
}

function isNewEnough({ since, sentAt }: OpenCreate, { createdAt }: Candidate): boolean {
  if (createdAt === null) return true;
  return createdAt >= (since === null ? sentAt - CLOCKS_APART_MS : since - CLOCK_GRAIN_MS);
}

function looksLike(open: Named, file: Candidate): boolean {
  const sameSize = file.byteSize === null || file.byteSize === open.byteSize;
  return sameSize && alikeNames(open.name, file.name);
}
