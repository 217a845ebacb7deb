import { setImmediate as turn } from 'node:timers/promises';
import type { z } from 'zod';
import { badAnswer, type Exchange } from './answer-error.ts';
import { arrayElements, type ElementSpan } from './json-array.ts';
import { MOST_DEPTH } from './parse-json.ts';

const MOST_RECORDS = 200_000;
const MOST_UNREADABLE = 1_000;
/** Characters of a record. */
const LONGEST_RECORD = 1024 * 1024;
/** Characters that are read before others have their turn: a few milliseconds. */
const SLICE = 256 * 1024;
/** What a record costs beside its characters, counted in characters. */
const COST_OF_RECORD = 256;

/** What an answer that is a list holds. */
export interface ReadRecords<T> {
  records: T[];
  /** Entries too odd to use. */
  unreadable: number;
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
export async function readRecords<T>(
  exchange: Exchange,
  schema: z.ZodType<T>,
): Promise<ReadRecords<T>> {
  try {
    return await readElements(exchange.answer.text, schema);
  } catch (error) {
    if (error instanceof SyntaxError) throw badAnswer(exchange, 'something that is no list');
    throw error;
  }
}

async function readElements<T>(text: string, schema: z.ZodType<T>): Promise<ReadRecords<T>> {
  const read: ReadRecords<T> = { ...{ records: [], unreadable: 0, received: 0 }, ...NOTHING_YET };
  let work = 0;
  for (const span of arrayElements(text)) {
    if (read.received >= MOST_RECORDS || read.unreadable >= MOST_UNREADABLE) {
      return { ...read, whole: false };
    }
    take(read, readElement(text, span, schema));
    work += span.to - span.from + COST_OF_RECORD;
    if (work < SLICE) continue;
    work = 0;
    await turn();
  }
  return read;
}

const NOTHING_YET = { lastAt: -1, whole: true };

function take<T>(read: ReadRecords<T>, record: { value: T } | null): void {
  if (record) {
    read.records.push(record.value);
    read.lastAt = read.received;
  } else read.unreadable += 1;
  read.received += 1;
}

function readElement<T>(
  text: string,
  { from, to, depth }: ElementSpan,
  schema: z.ZodType<T>,
): { value: T } | null {
  if (to - from > LONGEST_RECORD || depth >= MOST_DEPTH) return null;
  const { success, data } = schema.safeParse(JSON.parse(text.slice(from, to)));
  return success ? { value: data } : null;
}

/** The records among `values` that can be read, and how many cannot. */
export function keepReadable<T>(
  values: unknown[],
  schema: z.ZodType<T>,
): { records: T[]; unreadable: number } {
  const records = values.slice(0, MOST_UNREADABLE).flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
  return { records, unreadable: values.length - records.length };
}
