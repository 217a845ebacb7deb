import type { Clock, Logger, Random } from '../base/index.ts';
import type { Destination } from '../transfers/destination.ts';
import { createAccountLists } from './account-lists.ts';
import type { ListOptions, ServiceClient } from './client.ts';
import { deleteFile } from './delete-file.ts';
import { filePages, filesPath } from './fetch-files.ts';
import type { BatchRequest } from './group-commit/commit-batch.ts';
import { type CreateAnswer, readCreated } from './group-commit/create-answer.ts';
import { createGroupCommit } from './group-commit/group-commit.ts';
import { createFolderLists, type ListRequest } from './lists/folder-lists.ts';
import { createPaging } from './lists/paging.ts';
import { createOwnCreators } from './own-creators.ts';
import { parseAccountAddress } from './requests/account-address.ts';
import { createRequestSender, type ServiceAdapter } from './requests/request-sender.ts';
import { operationOf, type ServiceParts, sendJson } from './requests/service-calls.ts';
import { patientThrottle } from './throttle/patient-throttle.ts';
import type { Throttle } from './throttle/throttle.ts';
import { uploadFile } from './upload-file.ts';

const REQUEST_TIMEOUT_MS = 60_000;
const MOST_COPIED_RECORDS = 200_000;
const KEEP_COPIES_MS = 60_000;
const KEEP_PAGED_COPIES_MS = 60 * 60_000;

export interface ServiceClientOptions {
  /** The account address: HTTPS, or plain HTTP on loopback; with or without a closing slash. */
  accountUrl: string;
  /** The shared key. */
  apiKey: string;
  /** The e-mail address that the User-Agent names. */
  contact: string;
  throttle: Throttle;
  clock: Clock;
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

/**
 * The file service's client: one for the whole process.
 *
 * @throws PigeonholeError CONFIG_INVALID when the account address will not do
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { clock, logger } = options;
  const parts = createParts(options);
  const paging = createPaging();
  const lists = createAccountLists(parts, { paging, logger });
  const folders = createFolderLists({
    ...{ clock, logger, paging },
    capacity: MOST_COPIED_RECORDS,
    keepMs: KEEP_COPIES_MS,
    keepPagedMs: KEEP_PAGED_COPIES_MS,
    pagesOf: (destination, call) => filePages(parts, destination, call),
  });
  const creators = createOwnCreators();
  const commit = createGroupCommit({
    ...parts,
    timeoutMs: parts.requestTimeoutMs,
    send: (batch) => sendCreate(parts, batch),
    made: creators.learn,
    changed: folders.changed,
  });

  const requestOf = (destination: Destination, options: ListOptions): ListRequest => {
    const { maxAgeMs = 0, apiKey = parts.apiKey, ...call } = options;
    return { destination, apiKey, maxAgeMs, signal: undefined, ...call };
  };

  return {
    listFiles: async (destination, options) => {
      const request = requestOf(destination, options);
      const list = await folders.list(request);
      return { ...list, creators: creators.of(request.apiKey) };
    },
    glimpseFiles: (destination, options) => folders.glimpse(requestOf(destination, options)),
    createFile: (request, { apiKey = parts.apiKey, lane, queue, signal }) =>
      commit({ request, apiKey, lane, queue, signal }),
    deleteFile: async (destination, fileId, call) => {
      folders.changed(destination);
      try {
        const list = () =>
          folders.list(requestOf(destination, { ...call, notBefore: clock.now() }));
        const outcome = await deleteFile(parts, { destination, fileId, options: call, list });
        folders.changed(destination, fileId);
        return outcome;
      } catch (error) {
        folders.changed(destination);
        throw error;
      }
    },
    uploadFile: (projectId, source, call) =>
      uploadFile(parts, { projectId, source, options: call }),
    check: lists.check,
    listProjects: lists.projects,
    listFolders: lists.folders,
    listPeople: lists.people,
  };
}

function createParts(options: ServiceClientOptions): ServiceParts {
  const { apiKey, clock, random, contact, adapter = 'http' } = options;
  return {
    address: parseAccountAddress(options.accountUrl),
    apiKey,
    throttle: patientThrottle(options.throttle, clock),
    clock,
    random,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    send: createRequestSender({ contact, clock, adapter }),
  };
}

// `folder` always: without it the file goes to the home folder, whatever folder the path names.
async function sendCreate(parts: ServiceParts, batch: BatchRequest): Promise<CreateAnswer> {
  const { destination, attachments, apiKey, signal } = batch;
  const operation = operationOf('POST', filesPath(destination));
  const json = { attachments, folder: destination.folderId };
  const answer = await sendJson(parts, { operation, apiKey, json, signal });
  return readCreated({ operation, answer, apiKey });
}
