import type { z } from 'zod';
import { badAnswer, type Exchange } from './answer-error.ts';
import { parseJson } from './parse-json.ts';

/**
 * The records of an answer that is a JSON array. Those that cannot be read are counted and never
 * hide the others.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER when it is no JSON array
 */
export function readRecords<T>(
  exchange: Exchange,
  schema: z.ZodType<T>,
): { records: T[]; unreadable: number } {
  const value = parseJson(exchange.answer.text);
  if (!Array.isArray(value)) throw badAnswer(exchange, 'something that is no list');
  return keepReadable(value, schema);
}

/** The records among `values` that can be read, and how many cannot. */
export function keepReadable<T>(
  values: unknown[],
  schema: z.ZodType<T>,
): { records: T[]; unreadable: number } {
  const records = values.flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
  return { records, unreadable: values.length - records.length };
}
