import type { Logger } from '../base/index.ts';
import type { Answer } from './answer.ts';
import { apiOperation, type CallContext, type CallOptions, callOnce } from './call.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { type Folder, type FolderEntry, flattenFolders, readFolderEntries } from './folders.ts';
import { pageReader, readWholeList } from './list.ts';
import { type ListAnswer, readListAnswer } from './list-answer.ts';
import type { Identified } from './listing.ts';
import type { ListKind, Paging } from './paging.ts';
import { type Person, type Project, type ReadRecord, readPerson, readProject } from './records.ts';

/** A list outside the specified interface: projects, folders or people. */
export interface AccountList<T> {
  records: T[];
  /** Whether these are all: false when some could not be read, or the list not to its end. */
  complete: boolean;
}

/**
 * The lists outside the specified interface (service interface, appendix), each read to its end, page
 * by page; null where the account does not offer the call (404, 403, or a refusal within a 200).
 */
export interface AccountLists {
  listProjects(options: CallOptions): Promise<AccountList<Project> | null>;
  listFolders(projectId: number, options: CallOptions): Promise<AccountList<Folder> | null>;
  listPeople(options: CallOptions): Promise<AccountList<Person> | null>;
  /** Whether the service answers: one request at the most, whatever comes of it. */
  check(options: CallOptions): Promise<void>;
}

interface ListAddress<T> {
  kind: ListKind;
  /** Below `{base_url}`. */
  path: string;
  read(answer: Answer): Promise<ListAnswer<T>>;
}

const PROJECTS = { kind: 'projects', path: '/projects', read: listOf(readProject) } as const;
const PEOPLE = { kind: 'people', path: '/people', read: listOf(readPerson) } as const;

export function createAccountLists(
  context: CallContext,
  { paging, logger }: { paging: Paging; logger: Logger },
): AccountLists {
  async function fetch<T extends Identified>(
    { kind, path, read }: ListAddress<T>,
    options: CallOptions,
  ): Promise<AccountList<T>> {
    const readPage = pageReader(context, { path, read }, options);
    const listing = await readWholeList({ kind, paging, readPage });
    const unreadable = listing.odd.size;
    const complete = listing.state === 'whole' && unreadable === 0;
    if (!complete) logger.warn({ path, unreadable }, 'A list could not be read to its end');
    return { records: [...listing.records.values()], complete };
  }

  return {
    listProjects: (options) => ifOffered(fetch(PROJECTS, options)),
    listFolders: (projectId, options) => {
      const path = `/projects/${projectId}/folders`;
      const entries = fetch({ kind: 'folders', path, read: readFolderEntries }, options);
      return ifOffered(entries.then((list) => foldersOf(list, projectId)));
    },
    listPeople: (options) => ifOffered(fetch(PEOPLE, options)),
    check: async (options) => {
      const operation = apiOperation('GET', '/projects');
      await ifOffered(callOnce(context, { operation, options }, () => undefined));
    },
  };
}

function listOf<T>(read: ReadRecord<T>): ListAddress<T>['read'] {
  return (answer) => readListAnswer(answer, read);
}

// An unknown project may be answered with the folders of all (appendix 2, R5).
function foldersOf(entries: AccountList<FolderEntry>, projectId: number): AccountList<Folder> {
  const { records, unreadable } = flattenFolders(entries.records.map(({ value }) => value));
  return {
    records: records.filter((folder) => (folder.projectId ?? projectId) === projectId),
    complete: entries.complete && unreadable === 0,
  };
}

const NOT_OFFERED: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
]);

async function ifOffered<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError && NOT_OFFERED.has(error.code)) return null;
    throw error;
  });
}
