import type { Destination } from '../transfers/destination.ts';
import type { CallOptions } from './client.ts';
import { filesPath } from './fetch-files.ts';
import type { FileList } from './file-record.ts';
import type { Answer } from './requests/answer.ts';
import { badAnswer } from './requests/answer-error.ts';
import { isJsonObject, parseJson } from './requests/parse-json.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError } from './requests/service-error.ts';

export interface DeleteCall {
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
export function deleteFile(parts: ServiceParts, call: DeleteCall): Promise<'deleted' | 'gone'> {
  let maybeDone = false;

  return repeat(parts, call.options, async () => {
    const earlier = maybeDone;
    try {
      await sendDelete(parts, call);
      return 'deleted';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_NOT_FOUND') return earlier ? 'deleted' : 'gone';
      maybeDone ||= error.sent !== 'no';
      if (!isInDoubt(error)) throw error;
      await assertGone(call, error);
      return error.code === 'SERVICE_REFUSED' && !earlier ? 'gone' : 'deleted';
    }
  });
}

function sendDelete(parts: ServiceParts, { destination, fileId, options }: DeleteCall) {
  const operation = operationOf('DELETE', `${filesPath(destination)}/${fileId}`);
  return callOnce(parts, { operation, options }, (answer, apiKey) => {
    if (saysDone(answer)) return;
    throw badAnswer({ operation, answer, apiKey }, 'something that is no answer to it');
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
async function assertGone(call: DeleteCall, doubt: ServiceError): Promise<void> {
  const list = await call.list().catch((error: unknown) => {
    throw error instanceof ServiceError ? unknown(doubt) : error;
  });
  if (list.files.some(({ id }) => id === call.fileId)) throw refused(doubt);
  if (!list.complete || list.unreadable > 0) throw unknown(doubt);
}

function unknown({ message, status, said }: ServiceError): ServiceError {
  const text = `${message}; the folder does not tell whether the file is there`;
  return new ServiceError('SERVICE_BAD_ANSWER', text, {
    retry: 'later',
    sent: 'yes',
    status,
    said,
  });
}

function refused({ message, status, said }: ServiceError): ServiceError {
  const text = `${message}; the file is still there`;
  return new ServiceError('SERVICE_REFUSED', text, { retry: 'never', sent: 'yes', status, said });
}
