import { type Candidate, isSame, looksLike, type Named } from './match-records.ts';

/** One way of telling whose a record is, for those who are left over by the ways before. */
export interface Round {
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

/** What is not paired yet, in the order of the creates and of the identifiers. */
interface Left<T> {
  sought: Named[];
  records: T[];
}

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
function pick<T extends Candidate>(round: Round, one: Named, left: Left<T>): T | undefined {
  const { like, of } = round;
  const records = left.records.filter((record) => like(one, record));
  if (of === 'newest') return records.at(-1);
  const rivals = left.sought.filter((other) => records.some((record) => like(other, record)));
  if (records.length !== rivals.length) return undefined;
  return of === 'only' && records.length > 1 ? undefined : records[rivals.indexOf(one)];
}
