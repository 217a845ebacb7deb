import type { Logger, Random } from '../base/index.ts';
import type { Destination } from '../transfers/index.ts';
import { type AccountLists, createAccountLists } from './account-lists.ts';
import type { Answer } from './answer.ts';
import { type BulkSlot, openBulkSlot } from './bulk-slot.ts';
import { admit, type CallContext, type CallOptions, filesPath } from './call.ts';
import { type CreateRequest, createFiles, matchCreated } from './create-files.ts';
import { deleteFile } from './delete-file.ts';
import {
  createFolderCache,
  type FileGlimpse,
  type FileList,
  type ListOptions,
} from './folder-cache.ts';
import { createHttp, type HttpOptions, type ServiceAdapter } from './http.ts';
import { pageReader } from './list.ts';
import { readListAnswer } from './list-answer.ts';
import { createPaging } from './paging.ts';
import { type FileRecord, readFileRecord } from './records.ts';
import type { Throttle } from './throttle/throttle.ts';
import { type Upload, type UploadSource, uploadFile, uploadTimeout } from './upload.ts';

/**
 * The file service's client: one for the whole process, over one throttle. Every method rejects
 * with ServiceError or with the reason of an aborted signal; an upload also with what its source
 * failed with, or SLACK_FILE_SIZE_MISMATCH.
 */
export interface ServiceClient extends AccountLists {
  /**
   * All files of a folder (section 4.1), read to the end where the account pages; `complete` is
   * false when that was not possible. Equal calls in flight are one reading. A list of more than a
   * few pages is read in the bulk lane, whoever asks.
   */
  listFiles(destination: Destination, options: ListOptions): Promise<FileList>;
  /** The same, with the newest files alone at once where all of them would take long. */
  glimpseFiles(destination: Destination, options: ListOptions): Promise<FileGlimpse>;
  /** Waits for a slot of the bulk lane: for a create, or an upload of as many bytes. */
  bulkSlot(request: { bytes: number; signal: AbortSignal }): Promise<BulkSlot>;
  /**
   * Puts uploaded attachments into a folder (section 4.2), in one request; only what never left goes
   * again. Returns the record of each; null for one that the answer does not tell, though it is done.
   * After a SERVICE error other than `sent: 'no'` the folder is to be looked at before they are sent
   * again.
   */
  createFiles(request: CreateRequest, options: CallOptions): Promise<(FileRecord | null)[]>;
  /** Deletes a file (section 4.3). `gone`: it was not there any more. */
  deleteFile(
    destination: Destination,
    fileId: number,
    options: CallOptions,
  ): Promise<'deleted' | 'gone'>;
  /** Uploads a file's bytes (section 4.4), streaming. */
  uploadFile(projectId: number, source: UploadSource, options: CallOptions): Promise<Upload>;
}

export interface ServiceClientOptions extends Omit<HttpOptions, 'adapter'> {
  throttle: Throttle;
  random: Random;
  logger: Logger;
  /**
   * The longest that a request may take, in milliseconds; of an upload, the longest that nothing
   * may move. Default: 60 s.
   */
  requestTimeoutMs?: number | undefined;
  /** What carries the requests. Default: the machine's network. */
  adapter?: ServiceAdapter | undefined;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** All channels' files: whose turn it is the ledger decides. */
const FILING = 'filing';

export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { clock, logger } = options;
  const context = createContext(options);
  const paging = createPaging();
  const read = (answer: Answer) => readListAnswer(answer, readFileRecord);
  const folders = createFolderCache({
    clock,
    logger,
    paging,
    pagesOf: (destination, call) =>
      pageReader(context, { path: filesPath(destination), read }, call),
  });
  /** Who the service names as the creator of our records: nothing but the answers to creates tells. */
  const creators = new Set<number>();

  return {
    ...createAccountLists(context, { paging, logger }),
    listFiles: async (destination, call) => {
      const list = await folders.list(destination, call);
      return { ...list, creators: new Set(creators) };
    },
    glimpseFiles: folders.glimpse,
    bulkSlot: ({ bytes, signal }) => {
      const timeoutMs = uploadTimeout(context.requestTimeoutMs, bytes);
      const request = { lane: 'bulk', queue: FILING, signal, timeoutMs } as const;
      return openBulkSlot(admit(context, request));
    },
    createFiles: async (request, call) => {
      const { destination, attachments } = request;
      folders.changed(destination);
      try {
        const answer = await createFiles(context, request, call);
        const records = matchCreated(attachments, answer);
        // An answer of more shows other files of the folder too, and like-named ones may be among them.
        if (answer.records.length <= attachments.length)
          for (const record of records) if (record?.creatorId) creators.add(record.creatorId);
        return records;
      } finally {
        folders.changed(destination);
      }
    },
    deleteFile: async (destination, fileId, call) => {
      folders.changed(destination);
      const list = () => folders.list(destination, { ...call, notBefore: clock.now() });
      try {
        const outcome = await deleteFile(context, { destination, fileId, options: call, list });
        folders.changed(destination, fileId);
        return outcome;
      } catch (error) {
        folders.changed(destination);
        throw error;
      }
    },
    uploadFile: (projectId, source, call) =>
      uploadFile(context, { projectId, source, options: call }),
  };
}

function createContext(options: ServiceClientOptions): CallContext {
  const { accountUrl, apiKey, contact, throttle, clock, random, adapter = 'http' } = options;
  return {
    send: createHttp({ accountUrl, apiKey, contact, clock, adapter }),
    throttle,
    clock,
    random,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  };
}
