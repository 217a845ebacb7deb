import {
  assignRecords,
  CLOCKS_APART_MS,
  type Destination,
  looksLike,
  type Named,
  sameName,
} from '../core/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callOnce } from './call.ts';
import { answerError, apiOperation, filesPath } from './http.ts';
import { type FileRecord, isRefusal, parseJson, type ReadRecord } from './json.ts';

/** An attachment to file; its name and size distinguish the records of a batch. */
export interface Attachment extends Named {
  attachmentId: number;
}

interface CreateRequest {
  destination: Destination;
  /** Sent in this order; no two with the same name and size. */
  attachments: readonly Attachment[];
}

/**
 * The outcome of one attachment: its record; null if it was created but its record is not in the
 * response; `refused`, for one of several, if its record is not there and the response contains an
 * error for some entry.
 */
export type Created = FileRecord | 'refused' | null;

/** The response to a create that succeeded. */
interface CreateAnswer {
  /** Its records, in any order; some of ours may be missing, and others may be included. */
  records: FileRecord[];
  /** Whether its status is 201. */
  isCreated: boolean;
  /** When the request was sent: the earlier of our clock and the service's, in milliseconds. */
  sentAt: number;
}

interface CreateContext extends CallContext {
  readFile: ReadRecord<FileRecord>;
  /** Takes the users that the service names as creators of our records. */
  creators: Set<number>;
}

/**
 * Returns the client's call that creates file records from uploaded attachments (service interface,
 * section 4.2), in one request that is never retried, even if never sent: its age counts from the
 * ledger's claim. It resolves with each attachment's outcome. Before sending one again after a
 * refusal, or after an error other than `sent: 'no'`, the caller must look for its record in the
 * folder.
 */
export function fileCreator(context: CreateContext) {
  return ({ destination, attachments }: CreateRequest, options: CallOptions) => {
    const operation = apiOperation('POST', filesPath(destination));
    const ids = attachments.map(({ attachmentId }) => attachmentId);
    // Without `folder` the file goes to the home folder, whatever folder the path names.
    const json = { attachments: ids, folder: destination.folderId };
    return callOnce(context, { operation, json, options }, (answer) =>
      readCreated(answer, attachments, context),
    );
  };
}

const CREATED = 201;
/** The most entries read from a response. */
const MAX_ENTRIES = 1_000;

/**
 * Reads the response to a create: one record, or an array for several attachments (appendix), which
 * may contain errors. 201 proves success, whatever the body; another 2xx may answer a different
 * request (appendix 2, R5), so it must contain a record of ours.
 *
 * @throws ServiceError SERVICE_BAD_ANSWER, with `sent: 'unknown'`, for a 2xx other than 201 without
 *   a record of ours; the error that the response contains, for a single attachment without its
 *   record
 */
function readCreated(
  answer: Answer,
  attachments: readonly Attachment[],
  { readFile, creators }: CreateContext,
): Created[] {
  const { status, text, askedAt, serviceTime } = answer;
  const value = parseJson(text);
  const values: unknown[] = (Array.isArray(value) ? value : [value]).slice(0, MAX_ENTRIES);
  const records = values.flatMap((one) => readFile(one) ?? []);
  const isCreated = status === CREATED;
  const sentAt = Math.min(askedAt, serviceTime ?? askedAt);
  const found = matchCreated(attachments, { records, isCreated, sentAt });
  if (!isCreated && found.every((record) => record === null))
    throw badAnswer(answer, 'no record of what was sent');
  const refusal = values.find((one) => isRefusal(one, answer.operation.identifier));
  if (refusal !== undefined && attachments.length === 1 && !found[0])
    throw (
      answerError({ ...answer, text: JSON.stringify(refusal) }) ?? badAnswer(answer, 'an error')
    );
  const rest = refusal === undefined ? null : 'refused';
  // Among more records than attachments may be files of others with the same name.
  const ours = records.length <= attachments.length ? found : [];
  for (const record of ours) if (record?.creatorId) creators.add(record.creatorId);
  return found.map((record) => record ?? rest);
}

/**
 * Returns the record of each attachment in a create's response, or null if unknown: see
 * assignRecords. `sought` is in the order sent. The last rules match by name alone, then by order
 * if there are as many new records as attachments left. A response with more records than
 * attachments also shows other files of the folder: only new records and ones that look like ours
 * count. Without a 201, records known to be older are never ours.
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
    { like: (one, { name }) => sameName(one.name, name), choose: 'only' },
    { like: (_one, record) => isNew(record), choose: 'in-order' },
  ]);
}
