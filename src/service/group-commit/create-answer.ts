import type { FileRecord } from '../file-record.ts';
import { badAnswer, type Exchange } from '../requests/answer-error.ts';
import { fileRecordSchema } from '../requests/answer-schemas.ts';
import { parseJson } from '../requests/parse-json.ts';
import { keepReadable } from '../requests/read-answer.ts';

const CREATED = 201;

/** What a create was answered with, when the service says that it was done. */
export interface CreateAnswer {
  /** In any order; they need not be all, nor ours alone. */
  records: FileRecord[];
  /** When it was sent, by our clock or by the service's, whichever is earlier. */
  sentAt: number;
}

/**
 * The answer to a create (service interface, section 4.2): one record, or an array when several
 * attachments were sent (appendix). 201 says that it was done, whatever its body shows.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with an unknown outcome, for another status of success
 * without a readable record
 */
export function readCreated(exchange: Exchange): CreateAnswer {
  const { status, text, askedAt, serviceTime } = exchange.answer;
  const value = parseJson(text);
  const { records } = keepReadable(Array.isArray(value) ? value : [value], fileRecordSchema);
  if (records.length === 0 && status !== CREATED)
    throw badAnswer(exchange, 'no readable file record');
  return { records, sentAt: Math.min(askedAt, serviceTime ?? askedAt) };
}
