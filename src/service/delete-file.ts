import { orNull } from '../base/index.ts';
import type { Destination } from '../core/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callOnce, withRetries } from './call.ts';
import { ServiceError } from './errors.ts';
import type { FileLists } from './file-lists.ts';
import { apiOperation, filesPath } from './http.ts';
import { isJsonObject, parseJson } from './json.ts';

interface DeleteRequest {
  destination: Destination;
  fileId: number;
  options: CallOptions;
}

type DeleteContext = CallContext & Pick<FileLists, 'listFiles'>;

/**
 * Returns the client's call that deletes a file (service interface, section 4.3), with retries. It
 * resolves with `gone` if the file did not exist, but `deleted` if an earlier attempt may have
 * deleted it. If the response is unclear (appendix 2, R3) or a 404 without words, it lists the
 * folder. If the file is still there, it rejects with SERVICE_REFUSED; if the first response
 * explains nothing, only after a second attempt.
 */
export function fileDeleter(context: DeleteContext) {
  return (destination: Destination, fileId: number, options: CallOptions) =>
    deleteFile(context, { destination, fileId, options });
}

function deleteFile(context: DeleteContext, request: DeleteRequest): Promise<'deleted' | 'gone'> {
  const { destination, fileId, options } = request;
  const operation = apiOperation('DELETE', `${filesPath(destination)}/${fileId}`);
  const call = { operation, options };
  let maybeDone = false;
  return withRetries(context, call, async () => {
    const earlier = maybeDone;
    try {
      await callOnce(context, call, ensureDone);
      return 'deleted';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      maybeDone ||= error.sent !== 'no';
      if (isMissing(error) && isExplained(error)) return earlier ? 'deleted' : 'gone';
      if (!isMissing(error) && !isInDoubt(error)) throw error;
      const retry = earlier || isExplained(error) ? 'never' : 'later';
      await ensureGone(request, { doubt: error, retry }, context);
      const wasGone = isMissing(error) || error.code === 'SERVICE_REFUSED';
      return wasGone && !earlier ? 'gone' : 'deleted';
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

// Also what a proxy may answer for a service that is away.
function isMissing({ code, status }: ServiceError): boolean {
  return code === 'SERVICE_NOT_FOUND' || status === NOT_FOUND;
}

const NOT_FOUND = 404;

// An unexpected body, as a web page of a firewall, or an error with an unknown meaning.
function isInDoubt({ code, status = 0 }: ServiceError): boolean {
  if (code === 'SERVICE_REFUSED') return true;
  const isRedirect = status >= 300 && status < 400;
  return code === 'SERVICE_BAD_ANSWER' && status >= 200 && !isRedirect;
}

// A page without an explanation may be a proxy's, and come once.
function isExplained({ code, said }: ServiceError): boolean {
  return code === 'SERVICE_REFUSED' || said !== undefined;
}

// Rejects with SERVICE_REFUSED if the folder contains the file, and with SERVICE_BAD_ANSWER if its
// list fails or is incomplete; a 404 is believed then.
async function ensureGone(
  { destination, fileId, options }: DeleteRequest,
  { doubt, retry }: { doubt: ServiceError; retry: ServiceError['retry'] },
  { listFiles }: DeleteContext,
): Promise<void> {
  const { message, status, said } = doubt;
  const details = { sent: 'yes', status, said } as const;
  const list = await orNull(
    listFiles(destination, options),
    (error) => error instanceof ServiceError,
  );
  const still = `${message}; the file is still there`;
  if (list?.files.some(({ id }) => id === fileId))
    throw new ServiceError('SERVICE_REFUSED', still, { ...details, retry });
  const isClear = doubt.code === 'SERVICE_NOT_FOUND' || (list?.complete && list.unreadable === 0);
  const unclear = `${message}; the folder does not tell whether the file is there`;
  if (!isClear)
    throw new ServiceError('SERVICE_BAD_ANSWER', unclear, { ...details, retry: 'later' });
}
