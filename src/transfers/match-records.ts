/** A create whose outcome is unknown. */
export interface OpenCreate {
  name: string;
  byteSize: number;
  /** The service's clock when the upload was answered: no record of it can be older. */
  since: number | null;
}

/** What a folder's listing says of a file: the part that a match is made by. */
export interface Candidate {
  id: number;
  name: string;
  /** Null when the service does not tell it: that contradicts no size. */
  byteSize: number | null;
  createdAt: number | null;
}

/**
 * What a folder says of an open create: the record that it left, that it left none, or neither, so
 * that it may not be sent again.
 */
export type Match<T> = { verdict: 'found'; record: T } | { verdict: 'absent' | 'unclear' };

// Both times are cut to whole seconds; one more allows for a service of several machines.
const CLOCK_GRAIN_MS = 1_000;

/**
 * The files that an open create may have left in its folder: same name, and as far as they tell
 * the same size, made no earlier than the upload by the service's own clock.
 */
export function possibleRecords<T extends Candidate>(open: OpenCreate, files: readonly T[]): T[] {
  return files.filter((file) => fits(open, file));
}

/**
 * Which of the possible records, those that other transfers hold left out, is an open create's. The
 * oldest of several of its name and size is taken.
 *
 * A name and size is in flight once at a time in a folder (see ServiceClient.createFile), so what
 * is found belongs to this create. A record that does not tell its size is its own when it is alone
 * and fits none of `others`, the other creates that are open in the folder.
 */
export function matchRecord<T extends Candidate>(
  open: OpenCreate,
  possible: readonly T[],
  others: readonly Pick<OpenCreate, 'name' | 'byteSize'>[],
): Match<T> {
  const [certain] = possible.filter(({ byteSize }) => byteSize === open.byteSize).sort(oldestFirst);
  if (certain) return { verdict: 'found', record: certain };
  const [record] = possible;
  if (!record) return { verdict: 'absent' };
  if (possible.length > 1 || others.some((other) => looksLike(other, record)))
    return { verdict: 'unclear' };
  return { verdict: 'found', record };
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.id - b.id;
}

function fits(open: OpenCreate, file: Candidate): boolean {
  if (!looksLike(open, file)) return false;
  if (open.since === null || file.createdAt === null) return true;
  return file.createdAt >= open.since - CLOCK_GRAIN_MS;
}

function looksLike(open: Pick<OpenCreate, 'name' | 'byteSize'>, file: Candidate): boolean {
  const sameSize = file.byteSize === null || file.byteSize === open.byteSize;
  return sameSize && sameForm(file.name) === sameForm(open.name);
}

function sameForm(name: string): string {
  return name.normalize('NFC').trim();
}
