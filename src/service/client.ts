import { createOutage, type Logger, messageOf } from '../base/index.ts';
import { createAccountLists } from './account-lists.ts';
import type { CallContext } from './call.ts';
import { fileCreator } from './create-files.ts';
import { fileDeleter } from './delete-file.ts';
import { isDown, ServiceError } from './errors.ts';
import { createFileLists } from './file-lists.ts';
import { createHttp, type HttpOptions } from './http.ts';
import { fileReader } from './json.ts';
import { createSourceOf } from './list.ts';
import { slotReserver } from './reserve-slot.ts';
import { fileUploader } from './upload.ts';

interface ServiceClientOptions extends HttpOptions, Omit<CallContext, 'send'> {
  logger: Logger;
}

const OUTAGE = {
  begins: 'The file service does not work, and files wait until it does',
  ends: 'The file service works again',
};

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * Creates the file service's client: one for the whole process, over one throttle. Every method
 * rejects with ServiceError or with the reason of an aborted signal; an upload also with an error
 * of its source: see fileUploader.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { throttle, clock, random, logger, requestTimeoutMs, accountUrl } = options;
  const http = createHttp(options);
  let clockOffset: number | null = null;
  const outage = createOutage(logger, OUTAGE);
  const send: CallContext['send'] = async (request) => {
    const answer = await http(request).catch((error: unknown) => {
      if (isDown(error)) outage.failed({ problem: messageOf(error) });
      else if (error instanceof ServiceError && error.sent === 'yes') outage.fine();
      throw error;
    });
    outage.fine();
    // A list may be a copy that was made earlier.
    if (answer.serviceTime !== null && answer.operation.method !== 'GET')
      clockOffset = answer.serviceTime - clock.now();
    return answer;
  };
  const calls: CallContext = { send, throttle, clock, random, requestTimeoutMs };
  const sourceOf = createSourceOf(calls);
  const readFile = fileReader(accountUrl);
  const creators = new Set<number>();
  const lists = createFileLists({ sourceOf, readFile });
  const context = { ...calls, logger, sourceOf, readFile, creators, ...lists };

  return {
    ...createAccountLists(context),
    ...lists,
    /** The creators of the records that our creates returned, as far as this process has seen. */
    creators: creators as ReadonlySet<number>,
    /** The service's clock, by its last response that stated it; null before, or if none does. */
    time: () => (clockOffset === null ? null : clock.now() + clockOffset),
    bulkSlot: slotReserver(context),
    createFiles: fileCreator(context),
    deleteFile: fileDeleter(context),
    uploadFile: fileUploader(context),
  };
}
