import type { Logger } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import { createAccountLists } from './account-lists.ts';
import { type BulkSlot, type CallContext, type CallOptions, openBulkSlot } from './call.ts';
import { type Created, type CreateRequest, createFiles } from './create-files.ts';
import { deleteFile } from './delete-file.ts';
import { createFolderCache, type FileList, type ListOptions } from './folder-cache.ts';
import { createHttp, type HttpOptions } from './http.ts';
import { createSourceOf } from './list.ts';
import { fileReader } from './records.ts';
import { type Upload, type UploadSource, uploadFile, uploadTimeout } from './upload.ts';

interface ServiceClientOptions extends HttpOptions, Omit<CallContext, 'send'> {
  logger: Logger;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * Creates the file service's client: one for the whole process, over one throttle. Every method
 * rejects with ServiceError or with the reason of an aborted signal; an upload also with an error
 * of its source: see uploadFile.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { throttle, clock, random, logger, requestTimeoutMs, accountUrl } = options;
  const send = createHttp(options);
  const calls: CallContext = { send, throttle, clock, random, requestTimeoutMs };
  const sourceOf = createSourceOf(calls);
  const readFile = fileReader(accountUrl);
  const folders = createFolderCache({ clock, logger, sourceOf, readFile });
  const context = { ...calls, logger, sourceOf, readFile, folders };
  /** User ids that the service names as creator of our records, learned from create responses. */
  const creators = new Set<number>();

  // Invalidates before and after, so that no list begun before the change ended is returned later.
  async function changing<T>(destination: Destination, change: () => Promise<T>): Promise<T> {
    folders.changed(destination);
    try {
      return await change();
    } finally {
      folders.changed(destination);
    }
  }

  return {
    ...createAccountLists(context),
    /** Lists a folder's files (section 4.1); `complete` is false if its end could not be read. */
    listFiles: async (destination: Destination, call: ListOptions): Promise<FileList> => {
      const list = await folders.list(destination, call);
      return { ...list, creators: new Set(creators) };
    },
    /** Like listFiles, but resolves early with only the newest files if the list is long. */
    glimpseFiles: folders.glimpse,
    /** Returns the folders whose lists fit in the cache together: see createFolderCache. */
    foldersThatFitCache: folders.foldersThatFitCache,
    /** Waits for a slot of the bulk lane, for a create or for an upload of `bytes` bytes. */
    bulkSlot: ({ bytes, signal }: { bytes: number; signal: AbortSignal }): Promise<BulkSlot> =>
      openBulkSlot(context, { timeoutMs: uploadTimeout(requestTimeoutMs, bytes), signal }),
    /**
     * Creates file records from uploaded attachments (section 4.2), in one request that is never
     * retried. Resolves with each attachment's outcome. Before sending one again after a refusal,
     * or after an error other than `sent: 'no'`, the caller must look for its record in the folder.
     */
    createFiles: async (request: CreateRequest, call: CallOptions): Promise<Created[]> => {
      const answer = await changing(request.destination, () => createFiles(context, request, call));
      for (const creator of answer.creators) creators.add(creator);
      return answer.created;
    },
    /** Deletes a file (section 4.3). `gone`: the file no longer existed. */
    deleteFile: async (
      destination: Destination,
      fileId: number,
      call: CallOptions,
    ): Promise<'deleted' | 'gone'> => {
      const request = { destination, fileId, options: call };
      const outcome = await changing(destination, () => deleteFile(context, request));
      folders.changed(destination, fileId);
      return outcome;
    },
    /** Uploads a file's bytes (section 4.4), streaming. */
    uploadFile: (projectId: number, source: UploadSource, call: CallOptions): Promise<Upload> =>
      uploadFile(context, { projectId, source, options: call }),
  };
}
