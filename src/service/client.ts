import type { Logger, Random } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import { createAccountLists } from './account-lists.ts';
import { admit, type BulkSlot, type CallContext, type CallOptions, openBulkSlot } from './call.ts';
import { type Created, type CreateRequest, createFiles } from './create-files.ts';
import { deleteFile } from './delete-file.ts';
import { createFolderCache, type FileList, type ListOptions } from './folder-cache.ts';
import { createHttp, filesPath, type HttpOptions } from './http.ts';
import { arrayOf, createSourceOf } from './list-source.ts';
import { fileReader } from './records.ts';
import type { Throttle } from './throttle/throttle.ts';
import { type Upload, type UploadSource, uploadFile, uploadTimeout } from './upload.ts';

interface ServiceClientOptions extends HttpOptions {
  throttle: Throttle;
  random: Random;
  logger: Logger;
  /** The longest that a request may take, or an upload stand still, in milliseconds. */
  requestTimeoutMs: number;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * The file service's client: one for the whole process, over one throttle. Every method rejects
 * with ServiceError or with the reason of an aborted signal; an upload also with what its source
 * failed with, or SLACK_FILE_SIZE_MISMATCH.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { throttle, clock, random, logger, requestTimeoutMs } = options;
  const send = createHttp(options);
  const readFile = fileReader(options.accountUrl);
  const context: CallContext = { send, throttle, clock, random, requestTimeoutMs };
  const sourceOf = createSourceOf(context);
  const folders = createFolderCache({
    clock,
    logger,
    filesOf: (destination, call) =>
      sourceOf({ kind: 'files', path: filesPath(destination), read: arrayOf(readFile) }, call),
  });
  /** Who the service names as the creator of our records: nothing but the answers to creates tells. */
  const creators = new Set<number>();

  // No list that was begun before the end of a change is handed out after it.
  async function changing<T>(destination: Destination, change: () => Promise<T>): Promise<T> {
    folders.changed(destination);
    try {
      return await change();
    } finally {
      folders.changed(destination);
    }
  }

  return {
    ...createAccountLists(context, { sourceOf, logger }),
    /** All files of a folder (section 4.1); `complete` is false when it could not be read to its end. */
    listFiles: async (destination: Destination, call: ListOptions): Promise<FileList> => {
      const list = await folders.list(destination, call);
      return { ...list, creators: new Set(creators) };
    },
    /** The same, with the newest files alone at once where all of them would take long. */
    glimpseFiles: folders.glimpse,
    /** Which of these folders can be listed together again and again: see createFolderCache. */
    fitTogether: folders.fitTogether,
    /** Waits for a slot of the bulk lane: for a create, or an upload of as many bytes. */
    bulkSlot: ({ bytes, signal }: { bytes: number; signal: AbortSignal }): Promise<BulkSlot> => {
      const timeoutMs = uploadTimeout(requestTimeoutMs, bytes);
      // One queue for all channels: whose turn it is the ledger decides.
      const admitted = admit(context, { lane: 'bulk', queue: 'filing', signal, timeoutMs });
      return openBulkSlot(admitted);
    },
    /**
     * Puts uploaded attachments into a folder (section 4.2), in one request that is not repeated. Returns
     * what became of each. After an error other than `sent: 'no'`, and for what was refused, the folder is to
     * be looked at before it is sent again.
     */
    createFiles: async (request: CreateRequest, call: CallOptions): Promise<Created[]> => {
      const { created, isOursAlone } = await changing(request.destination, () =>
        createFiles({ ...context, readFile }, request, call),
      );
      for (const one of isOursAlone ? created : [])
        if (one !== null && one !== 'refused' && one.creatorId) creators.add(one.creatorId);
      return created;
    },
    /** Deletes a file (section 4.3). `gone`: it was not there any more. */
    deleteFile: async (
      destination: Destination,
      fileId: number,
      call: CallOptions,
    ): Promise<'deleted' | 'gone'> => {
      const list = () => folders.list(destination, { ...call, notBefore: clock.now() });
      const request = { destination, fileId, options: call, list };
      const outcome = await changing(destination, () => deleteFile(context, request));
      folders.changed(destination, fileId);
      return outcome;
    },
    /** Uploads a file's bytes (section 4.4), streaming. */
    uploadFile: (projectId: number, source: UploadSource, call: CallOptions): Promise<Upload> =>
      uploadFile(context, { projectId, source, options: call }),
  };
}
