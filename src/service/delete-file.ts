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
  /** Lists the folder as it is at the time of the call. */
  list(): Promise<FileList>;
}

/**
 * Deletes a file (service interface, section 4.3), with retries. Resolves with `gone` if it did not
 * exist, but `deleted` if an earlier attempt may have deleted it. If the response is unclear
 * (appendix 2, R3), lists the folder; if the file is still there, rejects with SERVICE_REFUSED if the
 * service said why, else with SERVICE_BAD_ANSWER.
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

// Checks a 2xx response that does not look like an error.
function ensureDone(answer: Answer): void {
  const { status, text } = answer;
  if (status === 204 || text.trim() === '') return;
  const value = parseJson(text);
  const isDone = isJsonObject(value)
    ? value['message'] === undefined || value['success'] === true || value['status'] === true
    : value === true || value === null;
  if (!isDone) throw badAnswer(answer, 'something that is no answer to it');
}

// An unexpected 2xx body, or an error with an unknown meaning.
function isInDoubt({ code, status = 0 }: ServiceError): boolean {
  if (code === 'SERVICE_REFUSED') return true;
  return code === 'SERVICE_BAD_ANSWER' && status >= 200 && status < 300;
}

// If the folder contains the file, rejects with SERVICE_REFUSED if the service said why, and else
// with SERVICE_BAD_ANSWER, as after a proxy's web page; also if the list fails or is incomplete.
async function ensureGone({ fileId, list }: DeleteRequest, doubt: ServiceError): Promise<void> {
  const { message, status, said } = doubt;
  const details = { sent: 'yes', status, said } as const;
  const failed = (why: string) =>
    new ServiceError('SERVICE_BAD_ANSWER', `${message}; ${why}`, { ...details, retry: 'later' });
  const untold = failed('the folder does not tell whether the file is there');
  const { files, complete, unreadable } = await list().catch((error: unknown) => {
    throw error instanceof ServiceError ? untold : error;
  });
  const still = 'the file is still there';
  if (files.some(({ id }) => id === fileId))
    throw said === undefined
      ? failed(still)
      : new ServiceError('SERVICE_REFUSED', `${message}; ${still}`, { ...details, retry: 'never' });
  if (!complete || unreadable > 0) throw untold;
}
