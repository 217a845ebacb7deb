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
  byteSize: number;
  createdAt: number | null;
}

// Both times are cut to whole seconds; one more allows for a service of several machines.
const CLOCK_GRAIN_MS = 1_000;

/**
 * The record that an open create left in the folder, or null when none did: same name and size,
 * made no earlier than the upload by the service's own clock, and not held by another transfer.
 * The oldest of several is taken.
 *
 * A name and size is in flight once at a time in a folder (see ServiceClient.createFile), so what
 * is found belongs to this create.
 */
export function matchRecord<T extends Candidate>(
  open: OpenCreate,
  files: readonly T[],
  claimed: ReadonlySet<number>,
): T | null {
  const matches = files.filter((file) => !claimed.has(file.id) && fits(open, file));
  const age = (file: T) => file.createdAt ?? 0;
  return matches.sort((a, b) => age(a) - age(b) || a.id - b.id)[0] ?? null;
}

function fits(open: OpenCreate, file: Candidate): boolean {
  if (file.byteSize !== open.byteSize || sameForm(file.name) !== sameForm(open.name)) return false;
  if (open.since === null || file.createdAt === null) return true;
  return file.createdAt >= open.since - CLOCK_GRAIN_MS;
}

function sameForm(name: string): string {
  return name.normalize('NFC').trim();
}
