import {
  assignRecords,
  CLOCKS_APART_MS,
  type Destination,
  looksLike,
  type Named,
  sameName,
} from '../transfers/index.ts';
import { type Answer, badAnswer, isRefusal } from './answer.ts';
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

/**
 * What became of an attachment: its record; null where the service says that it was done, and not as
 * which record; `refused` where it was refused beside others that were not.
 */
export type Created = FileRecord | 'refused' | null;

/** What a create was answered with, when the service says that it was done. */
export interface CreateAnswer {
  /** The records in it, in any order; they need not be all, nor ours alone. */
  records: FileRecord[];
  /** Whether its status says that something was made. */
  isCreated: boolean;
  /** When it was sent, by our clock or by the service's, whichever is earlier. */
  sentAt: number;
}

/** Sends one create, once: what never left does not go again either, as its age counts from its claim. */
export function createFiles(
  { readFile, ...context }: CallContext & { readFile: ReadRecord<FileRecord> },
  { destination, attachments }: CreateRequest,
  options: CallOptions,
): Promise<{ created: Created[]; isOursAlone: boolean }> {
  const operation = apiOperation('POST', filesPath(destination));
  const ids = attachments.map(({ attachmentId }) => attachmentId);
  // `folder` always: without it the file goes to the home folder, whatever folder the path names.
  const json = { attachments: ids, folder: destination.folderId };
  return callOnce(context, { operation, json, options }, (answer) =>
    readCreated(answer, { attachments, readFile }),
  );
}

const CREATED = 201;

/**
 * The answer to a create: one record, or an array when several attachments were sent (appendix), with what
 * was refused among them. 201 says that it was done, whatever its body shows; another success may be the
 * answer to something else (appendix 2, R5), and says so by a record of ours.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with an unknown outcome, for another status of success
 * without a record of ours
 */
function readCreated(
  answer: Answer,
  {
    attachments,
    readFile,
  }: { attachments: readonly Attachment[]; readFile: ReadRecord<FileRecord> },
) {
  const { status, text, askedAt, serviceTime } = answer;
  const value = parseJson(text);
  const values: unknown[] = (Array.isArray(value) ? value : [value]).slice(0, MOST_ODD);
  const records = values.flatMap((one) => readFile(one) ?? []);
  const isCreated = status === CREATED;
  const sentAt = Math.min(askedAt, serviceTime ?? askedAt);
  const found = matchCreated(attachments, { records, isCreated, sentAt });
  if (!isCreated && found.every((record) => record === null))
    throw badAnswer(answer, 'no record of what was sent');
  const rest = values.some(isRefusal) ? 'refused' : null;
  return {
    created: found.map((record) => record ?? rest),
    /** An answer of more shows other files of the folder too, and like-named ones may be among them. */
    isOursAlone: records.length <= attachments.length,
  };
}

/**
 * Which record of a create's answer is whose, or null when it does not tell: see assignRecords, `sought`
 * in the order in which the attachments were sent. In the end a name decides alone, and then the order,
 * when there are as many new records as attachments left. An answer of more records than attachments
 * shows other files of the folder too: of these only new ones count, and those that look like ours. Where
 * its status does not say that something was made, what is known to be older is not.
 */
export function matchCreated(
  sought: readonly Named[],
  { records, isCreated, sentAt }: CreateAnswer,
): (FileRecord | null)[] {
  const isNew = ({ createdAt }: Pick<FileRecord, 'createdAt'>) =>
    createdAt !== null && createdAt >= sentAt - CLOCKS_APART_MS;
  const mayBeOurs = (record: FileRecord) =>
    isNew(record) ||
    ((isCreated || record.createdAt === null) && sought.some((one) => looksLike(one, record)));
  const isPicked = records.length > sought.length || !isCreated;
  return assignRecords(sought, isPicked ? records.filter(mayBeOurs) : records, [
    { like: (one, { name }) => sameName(one.name, name), of: 'only' },
    { like: (_one, record) => isNew(record), of: 'in-order' },
  ]);
}
