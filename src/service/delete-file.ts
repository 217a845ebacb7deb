import type { Destination } from '../transfers/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { apiOperation, type CallContext, type CallOptions, callOnce, filesPath } from './call.ts';
import { ServiceError } from './errors.ts';
import { isJsonObject, parseJson } from './json.ts';
import type { FileRecord } from './records.ts';
import { withRetries } from './retry.ts';

export interface DeleteRequest {
  destination: Destination;
  fileId: number;
  options: CallOptions;
  /** Lists the folder as it is then. */
  list(): Promise<{ files: FileRecord[]; complete: boolean; unreadable: number }>;
}

/**
 * Deletes a file (service interface, section 4.3). Not there at the first attempt: `gone`. Not
 * there after an attempt that may have got through: that one did it. Where the answer does not tell
 * whether it was done (appendix 2, R3), the folder does: still there, it is SERVICE_REFUSED.
 */
export function deleteFile(
  context: CallContext,
  request: DeleteRequest,
): Promise<'deleted' | 'gone'> {
  let maybeDone = false;
  return withRetries({ ...context, ...request.options }, async () => {
    const earlier = maybeDone;
    try {
      await sendDelete(context, request);
      return 'deleted';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_NOT_FOUND') return earlier ? 'deleted' : 'gone';
      maybeDone ||= error.sent !== 'no';
      if (!isInDoubt(error)) throw error;
      await assertGone(request, error);
      return error.code === 'SERVICE_REFUSED' && !earlier ? 'gone' : 'deleted';
    }
  });
}

function sendDelete(context: CallContext, { destination, fileId, options }: DeleteRequest) {
  const operation = apiOperation('DELETE', `${filesPath(destination)}/${fileId}`);
  return callOnce(context, { operation, options }, (answer) => {
    if (!saysDone(answer)) throw badAnswer(answer, 'something that is no answer to it');
  });
}

/** Whether an answer of 2xx that has no marks of a failure says that it was done. */
function saysDone({ status, text }: Answer): boolean {
  if (status === 204 || text.trim() === '') return true;
  const value = parseJson(text);
  if (!isJsonObject(value)) return value === true || value === null;
  return value['message'] === undefined || value['success'] === true || value['status'] === true;
}

// An answer of success that says anything else, and an error whose meaning nobody knows.
function isInDoubt({ code, status = 0 }: ServiceError): boolean {
  if (code === 'SERVICE_REFUSED') return true;
  return code === 'SERVICE_BAD_ANSWER' && status >= 200 && status < 300;
}

/**
 * Resolves when the folder does not show the file. Rejects with SERVICE_REFUSED when it does, and
 * with SERVICE_BAD_ANSWER when the folder does not tell.
 */
async function assertGone({ fileId, list }: DeleteRequest, doubt: ServiceError): Promise<void> {
  const { status, said } = doubt;
  const untold = new ServiceError(
    'SERVICE_BAD_ANSWER',
    `${doubt.message}; the folder does not tell whether the file is there`,
    { retry: 'later', sent: 'yes', status, said },
  );
  const { files, complete, unreadable } = await list().catch((error: unknown) => {
    throw error instanceof ServiceError ? untold : error;
  });
  if (files.some(({ id }) => id === fileId)) {
    const message = `${doubt.message}; the file is still there`;
    throw new ServiceError('SERVICE_REFUSED', message, {
      retry: 'never',
      sent: 'yes',
      status,
      said,
    });
  }
  if (!complete || unreadable > 0) throw untold;
}
