import { setImmediate as turn } from 'node:timers/promises';
import { type Answer, badAnswer } from './answer.ts';
import { arrayElements, type ElementSpan, MOST_DEPTH } from './json.ts';
import type { ReadRecord } from './records.ts';

/** The most entries of a list that are read. */
export const MOST_RECORDS = 200_000;
/** The most entries too odd to use: a list of more is not read on. */
export const MOST_UNREADABLE = 1_000;
/** Characters of a record. */
const LONGEST_RECORD = 1024 * 1024;
/** Characters that are read before others have their turn: a few milliseconds. */
const SLICE = 256 * 1024;
/** What a record costs beside its characters, counted in characters. */
const COST_OF_RECORD = 256;

/** What an answer that is a list holds. */
export interface ListAnswer<T> {
  records: T[];
  /** The indexes of entries too odd to use. */
  odd: number[];
  /** Entries that were read, in all. */
  received: number;
  /** The index of the last entry that could be used; -1 when none could. */
  lastAt: number;
  /** Whether the answer was read to its end. */
  whole: boolean;
}

/**
 * The records of an answer that is a JSON array. Those that cannot be read are counted and never
 * hide the others; the thousandth of them ends the reading, and so does record 200,000. Others have
 * their turn meanwhile, however long the answer is.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER when it is no JSON array
 */
export async function readListAnswer<T>(
  answer: Answer,
  read: ReadRecord<T>,
): Promise<ListAnswer<T>> {
  try {
    return await readElements(answer.text, read);
  } catch (error) {
    if (error instanceof SyntaxError) throw badAnswer(answer, 'something that is no list');
    throw error;
  }
}

async function readElements<T>(text: string, read: ReadRecord<T>): Promise<ListAnswer<T>> {
  const list: ListAnswer<T> = { records: [], odd: [], received: 0, lastAt: -1, whole: true };
  let work = 0;
  for (const span of arrayElements(text)) {
    if (list.received >= MOST_RECORDS || list.odd.length >= MOST_UNREADABLE)
      return { ...list, whole: false };
    add(list, readElement(text, span, read));
    work += span.to - span.from + COST_OF_RECORD;
    if (work < SLICE) continue;
    work = 0;
    await turn();
  }
  return list;
}

function add<T>(list: ListAnswer<T>, record: T | null): void {
  if (record === null) list.odd.push(list.received);
  else {
    list.records.push(record);
    list.lastAt = list.received;
  }
  list.received += 1;
}

function readElement<T>(
  text: string,
  { from, to, depth }: ElementSpan,
  read: ReadRecord<T>,
): T | null {
  if (to - from > LONGEST_RECORD || depth >= MOST_DEPTH) return null;
  return read(JSON.parse(text.slice(from, to)));
}
