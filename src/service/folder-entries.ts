import { z } from 'zod';
import { badAnswer, type Exchange } from './requests/answer-error.ts';
import { isJsonObject, parseJson } from './requests/parse-json.ts';
import { type ReadRecords, readRecords } from './requests/read-answer.ts';

/** An entry of a folders answer as it came, with what it holds in its `children`. */
export interface FolderEntry {
  id: number;
  value: Record<string, unknown>;
}

const identifier = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number),
]);

const entrySchema: z.ZodType<FolderEntry> = z
  .looseObject({ id: identifier })
  .transform((value) => ({ id: value.id, value }));

/**
 * The entries of a folders answer: of an array (service interface, appendix), or the one object that
 * holds all others (appendix 2, R4).
 *
 * @throws ServiceError SERVICE_BAD_ANSWER when it is neither
 */
export async function readFolderEntries(exchange: Exchange): Promise<ReadRecords<FolderEntry>> {
  if (/^\s*\[/.test(exchange.answer.text)) return readRecords(exchange, entrySchema);
  const value = parseJson(exchange.answer.text);
  if (!isJsonObject(value) || (value['id'] === undefined && !Array.isArray(value['children'])))
    throw badAnswer(exchange, 'something that is no list of folders');
  const records = [{ id: Number(value['id'] ?? 0), value }];
  return { records, unreadable: 0, received: 1, lastAt: 0, whole: true };
}
