import {
  assignRecords,
  CLOCKS_APART_MS,
  type Destination,
  looksLike,
  type Named,
  sameName,
} from '../transfers/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callOnce } from './call.ts';
import { apiOperation, filesPath } from './http.ts';
import { MOST_ODD, parseJson } from './json.ts';
import type { FileRecord, ReadRecord } from './records.ts';

/** An upload that is to be put into a folder; name and size tell the records of a batch apart. */
export interface Attachment {
  attachmentId: number;
  name: string;
  byteSize: number;
}

export interface CreateRequest {
  destination: Destination;
  /** In this order; no two of the same name and size. */
  attachments: readonly Attachment[];
}

/** What a create was answered with, when the service says that it was done. */
export type CreateAnswer = ReturnType<typeof readCreated>;

/** Sends one create, once: what never left does not go again either, as its age counts from its claim. */
export function createFiles(
  { readFile, ...context }: CallContext & { readFile: ReadRecord<FileRecord> },
  { destination, attachments }: CreateRequest,
  options: CallOptions,
): Promise<CreateAnswer> {
  const operation = apiOperation('POST', filesPath(destination));
  const ids = attachments.map(({ attachmentId }) => attachmentId);
  // `folder` always: without it the file goes to the home folder, whatever folder the path names.
  const json = { attachments: ids, folder: destination.folderId };
  return callOnce(context, { operation, json, options }, (answer) => readCreated(answer, readFile));
}

const CREATED = 201;

/**
 * The answer to a create: one record, or an array when several attachments were sent (appendix). 201
 * says that it was done, whatever its body shows.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with an unknown outcome, for another status of success
 * without a readable record
 */
function readCreated(answer: Answer, readFile: ReadRecord<FileRecord>) {
  const { status, text, askedAt, serviceTime } = answer;
  const value = parseJson(text);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const records = values.slice(0, MOST_ODD).flatMap((one) => readFile(one) ?? []);
  if (records.length === 0 && status !== CREATED)
    throw badAnswer(answer, 'no readable file record');
  return {
    /** In any order; they need not be all, nor ours alone. */
    records,
    /** When it was sent, by our clock or by the service's, whichever is earlier. */
    sentAt: Math.min(askedAt, serviceTime ?? askedAt),
  };
}

/**
 * Which record of a create's answer is whose, or null when it does not tell: see assignRecords, `sought`
 * in the order in which the attachments were sent. In the end a name decides alone, and then the order,
 * when there are as many new records as attachments left. An answer of more records than attachments
 * shows other files of the folder too: of these only new ones count, and those that look like ours.
 */
export function matchCreated(
  sought: readonly Named[],
  { records, sentAt }: CreateAnswer,
): (FileRecord | null)[] {
  const isNew = ({ createdAt }: Pick<FileRecord, 'createdAt'>) =>
    createdAt !== null && createdAt >= sentAt - CLOCKS_APART_MS;
  const usable = records.filter(
    (record) => isNew(record) || sought.some((one) => looksLike(one, record)),
  );
  return assignRecords(sought, records.length > sought.length ? usable : records, [
    { like: (one, { name }) => sameName(one.name, name), of: 'only' },
    { like: (_one, record) => isNew(record), of: 'in-order' },
  ]);
}
