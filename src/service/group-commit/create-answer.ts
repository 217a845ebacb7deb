import type { Destination } from '../../transfers/index.ts';
import { type Answer, badAnswer } from '../answer-error.ts';
import { type CallContext, sendJson } from '../call.ts';
import { parseJson } from '../json.ts';
import { MOST_UNREADABLE } from '../list-answer.ts';
import { apiOperation, filesPath } from '../operation.ts';
import { type FileRecord, readFileRecord } from '../records.ts';

const CREATED = 201;

/** One create request, for one folder. */
export interface BatchRequest {
  destination: Destination;
  attachments: number[];
  signal: AbortSignal;
}

/** What a create was answered with, when the service says that it was done. */
export interface CreateAnswer {
  /** In any order; they need not be all, nor ours alone. */
  records: FileRecord[];
  /** When it was sent, by our clock or by the service's, whichever is earlier. */
  sentAt: number;
}

/** Sends one create request that is admitted already (service interface, section 4.2). */
export async function sendCreate(
  context: CallContext,
  { destination, attachments, signal }: BatchRequest,
): Promise<CreateAnswer> {
  const answer = await sendJson(context, {
    operation: apiOperation('POST', filesPath(destination)),
    // `folder` always: without it the file goes to the home folder, whatever folder the path names.
    json: { attachments, folder: destination.folderId },
    signal,
    timeoutMs: context.requestTimeoutMs,
  });
  return readCreated(answer);
}

/**
 * The answer to a create: one record, or an array when several attachments were sent (appendix). 201
 * says that it was done, whatever its body shows.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with an unknown outcome, for another status of success
 * without a readable record
 */
export function readCreated(answer: Answer): CreateAnswer {
  const { status, text, askedAt, serviceTime } = answer;
  const value = parseJson(text);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const records = values.slice(0, MOST_UNREADABLE).flatMap((one) => readFileRecord(one) ?? []);
  if (records.length === 0 && status !== CREATED)
    throw badAnswer(answer, 'no readable file record');
  return { records, sentAt: Math.min(askedAt, serviceTime ?? askedAt) };
}
