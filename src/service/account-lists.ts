import type { Logger } from '../base/index.ts';
import { apiOperation, type CallContext, type CallOptions, callOnce } from './call.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { type Folder, flattenFolders, readFolderEntries } from './folders.ts';
import { readWholeList } from './list.ts';
import { arrayOf, type Identified, type ListAddress, type SourceOf } from './list-source.ts';
import { readPerson, readProject } from './records.ts';

/** A list outside the specified interface: projects, folders or people. */
export interface AccountList<T> {
  records: T[];
  /** Whether these are all: false when some could not be read, or the list not to its end. */
  complete: boolean;
}

export type AccountLists = ReturnType<typeof createAccountLists>;

/**
 * The lists outside the specified interface (service interface, appendix), each read to its end, page
 * by page; null where the account does not offer the call (404, 403, or a refusal within a 200).
 */
export function createAccountLists(
  context: CallContext,
  { sourceOf, logger }: { sourceOf: SourceOf; logger: Logger },
) {
  async function list<T extends Identified>(
    address: ListAddress<T>,
    options: CallOptions,
  ): Promise<AccountList<T> | null> {
    const listing = await ifOffered(readWholeList(sourceOf(address, options)));
    if (!listing) return null;
    const { path } = address;
    const unreadable = listing.odd.size;
    const complete = listing.state === 'whole' && unreadable === 0;
    if (!complete) logger.warn({ path, unreadable }, 'A list could not be read to its end');
    return { records: [...listing.records.values()], complete };
  }

  async function listFolders(
    projectId: number,
    options: CallOptions,
  ): Promise<AccountList<Folder> | null> {
    const path = `/projects/${projectId}/folders`;
    const entries = await list({ kind: 'folders', path, read: readFolderEntries }, options);
    if (!entries) return null;
    const { records, unreadable } = flattenFolders(entries.records.map(({ value }) => value));
    return {
      // An unknown project may be answered with the folders of all (appendix 2, R5).
      records: records.filter((folder) => (folder.projectId ?? projectId) === projectId),
      complete: entries.complete && unreadable === 0,
    };
  }

  return {
    listProjects: (options: CallOptions) =>
      list({ kind: 'projects', path: '/projects', read: arrayOf(readProject) }, options),
    listFolders,
    listPeople: (options: CallOptions) =>
      list({ kind: 'people', path: '/people', read: arrayOf(readPerson) }, options),
    /** Whether the service answers: one request at the most, whatever comes of it. */
    check: async (options: CallOptions): Promise<void> => {
      const operation = apiOperation('GET', '/projects');
      await ifOffered(callOnce(context, { operation, options }, () => undefined));
    },
  };
}

const NOT_OFFERED: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
];

async function ifOffered<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError && NOT_OFFERED.includes(error.code)) return null;
    throw error;
  });
}
