import type { Destination } from '../transfers/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callOnce, withRetries } from './call.ts';
import { ServiceError } from './errors.ts';
import type { FileList } from './folder-cache.ts';
import { apiOperation, filesPath } from './http.ts';
import { isJsonObject, parseJson } from './json.ts';

interface DeleteRequest {
  destination: Destination;
  fileId: number;
  options: CallOptions;
  /** Lists the folder as it is then. */
  list(): Promise<FileList>;
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
  const { destination, fileId, options } = request;
  const operation = apiOperation('DELETE', `${filesPath(destination)}/${fileId}`);
  let maybeDone = false;
  return withRetries({ ...context, ...options }, async () => {
    const earlier = maybeDone;
    try {
      await callOnce(context, { operation, options }, ensureDone);
      return 'deleted';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_NOT_FOUND') return earlier ? 'deleted' : 'gone';
      maybeDone ||= error.sent !== 'no';
      if (!isInDoubt(error)) throw error;
      await ensureGone(request, error);
      return error.code === 'SERVICE_REFUSED' && !earlier ? 'gone' : 'deleted';
    }
  });
}

// Of an answer of 2xx that has no marks of a failure.
function ensureDone(answer: Answer): void {
  const { status, text } = answer;
  if (status === 204 || text.trim() === '') return;
  const value = parseJson(text);
  const isDone = isJsonObject(value)
    ? value['message'] === undefined || value['success'] === true || value['status'] === true
    : value === true || value === null;
  if (!isDone) throw badAnswer(answer, 'something that is no answer to it');
}

// An answer of success that says anything else, and an error whose meaning nobody knows.
function isInDoubt({ code, status = 0 }: ServiceError): boolean {
  if (code === 'SERVICE_REFUSED') return true;
  return code === 'SERVICE_BAD_ANSWER' && status >= 200 && status < 300;
}

// Rejects with SERVICE_REFUSED when the folder shows the file, and with SERVICE_BAD_ANSWER when it does
// not tell.
async function ensureGone({ fileId, list }: DeleteRequest, doubt: ServiceError): Promise<void> {
  const { message, status, said } = doubt;
  const details = { sent: 'yes', status, said } as const;
  const unclear = `${message}; the folder does not tell whether the file is there`;
  const untold = new ServiceError('SERVICE_BAD_ANSWER', unclear, { ...details, retry: 'later' });
  const { files, complete, unreadable } = await list().catch((error: unknown) => {
    throw error instanceof ServiceError ? untold : error;
  });
  const still = `${message}; the file is still there`;
  if (files.some(({ id }) => id === fileId))
    throw new ServiceError('SERVICE_REFUSED', still, { ...details, retry: 'never' });
  if (!complete || unreadable > 0) throw untold;
}
