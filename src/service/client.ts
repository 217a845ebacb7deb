import type { Logger } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import { createAccountLists } from './account-lists.ts';
import type { CallContext, CallOptions } from './call.ts';
import { fileCreator } from './create-files.ts';
import { fileDeleter } from './delete-file.ts';
import { createFolderCache } from './folder-cache.ts';
import { createHttp, filesPath, type HttpOptions } from './http.ts';
import { fileReader } from './json.ts';
import { arrayOf, createSourceOf } from './list.ts';
import { slotReserver } from './reserve-slot.ts';
import { fileUploader } from './upload.ts';

interface ServiceClientOptions extends HttpOptions, Omit<CallContext, 'send'> {
  logger: Logger;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * Creates the file service's client: one for the whole process, over one throttle. Every method
 * rejects with ServiceError or with the reason of an aborted signal; an upload also with an error
 * of its source: see fileUploader.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { throttle, clock, random, logger, requestTimeoutMs, accountUrl } = options;
  const send = createHttp(options);
  const calls: CallContext = { send, throttle, clock, random, requestTimeoutMs };
  const sourceOf = createSourceOf(calls);
  const readFile = fileReader(accountUrl);
  const creators = new Set<number>();
  const folders = createFolderCache({ clock, logger, sourceOf, readFile });
  const context = { ...calls, logger, sourceOf, readFile, creators, folders };

  return {
    ...createAccountLists(context),
    /** Lists a folder's files (section 4.1); `complete` is false if its end could not be read. */
    listFiles: folders.list,
    /** Returns the pages of a folder's list; each is one request, with its lane's retries. */
    pagesOf: (folder: Destination, call: CallOptions) =>
      sourceOf({ path: filesPath(folder), read: arrayOf(readFile) }, call),
    /** Returns one record as it is now: see createFolderCache. */
    findFile: folders.find,
    /** Like listFiles, but resolves early with only the newest files if the list is long. */
    glimpseFiles: folders.glimpse,
    /** Returns the folders whose lists fit in the cache together: see createFolderCache. */
    foldersThatFitCache: folders.foldersThatFitCache,
    /** The creators of the records that our creates returned, as far as this process has seen. */
    creators: creators as ReadonlySet<number>,
    bulkSlot: slotReserver(context),
    createFiles: fileCreator(context),
    deleteFile: fileDeleter(context),
    uploadFile: fileUploader(context),
  };
}
