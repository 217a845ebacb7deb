import type { FileRecord } from '../file-record.ts';

/** What a file record is known by within a batch. */
export interface Sought {
  name: string;
  byteSize: number;
}

type Likeness = (sought: Sought, record: FileRecord) => boolean;

const SAME: Likeness = (sought, record) => sameName(sought, record) && sameSize(sought, record);

/** A size that is not told contradicts none. */
const UNSIZED: Likeness = (sought, record) => record.byteSize === null && sameName(sought, record);

/**
 * Which record of a create's answer is whose. The order of either side means nothing. One record
 * for one attachment is its own, whatever it says. Among several, name and size decide; when as
 * many records are left over as attachments, either alone decides where it is unmistakable (the
 * service may have changed a name that was taken).
 *
 * @returns for each of `sought`, its record, or null when the answer does not tell
 */
export function matchCreated(sought: Sought[], records: FileRecord[]): (FileRecord | null)[] {
  if (sought.length === 1 && records.length === 1) return records;
  const found = new Map<Sought, FileRecord>();
  const left = { sought: () => sought.filter((one) => !found.has(one)), records: [...records] };
  const pair = (like: Likeness) => {
    for (const one of left.sought()) {
      const record = pick(one, left, like);
      if (!record) continue;
      found.set(one, record);
      left.records.splice(left.records.indexOf(record), 1);
    }
  };
  pair(SAME);
  pair(onlyOne(UNSIZED, left));
  if (left.sought().length === left.records.length) {
    pair(onlyOne(sameSize, left));
    pair(onlyOne(sameName, left));
  }
  return sought.map((one) => found.get(one) ?? null);
}

/** The form in which two names are the same. */
export function nameForm(name: string): string {
  return name.normalize('NFC').trim();
}

// The newest, should the answer show older files of the folder too.
function pick(
  one: Sought,
  left: { records: FileRecord[] },
  like: Likeness,
): FileRecord | undefined {
  return left.records.filter((record) => like(one, record)).sort((a, b) => b.id - a.id)[0];
}

function onlyOne(like: Likeness, left: { sought(): Sought[]; records: FileRecord[] }): Likeness {
  return (one, record) =>
    like(one, record) &&
    left.sought().filter((other) => like(other, record)).length === 1 &&
    left.records.filter((other) => like(one, other)).length === 1;
}

function sameName(one: Sought, record: FileRecord): boolean {
  return nameForm(one.name) === nameForm(record.name);
}

function sameSize(one: Sought, record: FileRecord): boolean {
  return one.byteSize === record.byteSize;
}
