import type { FileRecord } from '../file-record.ts';
import { badAnswer, type Exchange } from '../requests/answer-error.ts';
import { fileRecordSchema } from '../requests/answer-schemas.ts';
import { parseJson } from '../requests/parse-json.ts';
import { keepReadable } from '../requests/read-answer.ts';

/**
 * The records of a create's answer (service interface, section 4.2): one record, or an array when
 * several attachments were sent (appendix).
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with an unknown outcome, when none can be read
 */
export function readCreated(exchange: Exchange): FileRecord[] {
  const value = parseJson(exchange.answer.text);
  const { records } = keepReadable(Array.isArray(value) ? value : [value], fileRecordSchema);
  if (records.length === 0) throw badAnswer(exchange, 'no readable file record');
  return records;
}
