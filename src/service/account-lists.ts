import type { z } from 'zod';
import type { Logger } from '../base/index.ts';
import type { CallOptions } from './client.ts';
import type { AccountList, Folder, Person, Project } from './file-record.ts';
import { type FolderEntry, readFolderEntries } from './folder-entries.ts';
import type { Identified } from './lists/listing.ts';
import { type ListAddress, pageReader } from './lists/page.ts';
import type { ListKind, Paging } from './lists/paging.ts';
import { readWholeList } from './lists/read-on.ts';
import { personSchema, projectSchema } from './requests/answer-schemas.ts';
import { flattenFolders } from './requests/flatten-folders.ts';
import { readRecords } from './requests/read-answer.ts';
import { callOnce, operationOf, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError, type ServiceErrorCode } from './requests/service-error.ts';

/** The lists outside the specified interface (service interface, appendix). */
export interface AccountLists {
  projects(options: CallOptions): Promise<AccountList<Project> | null>;
  folders(projectId: number, options: CallOptions): Promise<AccountList<Folder> | null>;
  people(options: CallOptions): Promise<AccountList<Person> | null>;
  /** One request, never repeated, whose answer is not read; rejects when the service fails. */
  check(options: CallOptions): Promise<void>;
}

interface AccountAddress<T> extends ListAddress<T> {
  kind: ListKind;
}

/**
 * Each list is read to its end, page by page, and null where the account does not offer the call (404,
 * 403, or a refusal within a 200).
 */
export function createAccountLists(
  parts: ServiceParts,
  { paging, logger }: { paging: Paging; logger: Logger },
): AccountLists {
  async function fetch<T extends Identified>(
    { kind, path, read }: AccountAddress<T>,
    options: CallOptions,
  ): Promise<AccountList<T> | null> {
    try {
      const readPage = pageReader(parts, { path, read }, options);
      const listing = await readWholeList({ kind, paging, readPage });
      const unreadable = listing.unreadable + listing.trailing;
      const complete = listing.state === 'whole' && unreadable === 0;
      if (!complete) logger.warn({ path, unreadable }, 'A list could not be read to its end');
      return { records: [...listing.records.values()], complete };
    } catch (error) {
      if (isNotOffered(error)) return null;
      throw error;
    }
  }

  async function check(options: CallOptions): Promise<void> {
    const operation = operationOf('GET', '/projects');
    try {
      await callOnce(parts, { operation, options }, () => undefined);
    } catch (error) {
      if (!isNotOffered(error)) throw error;
    }
  }

  return {
    check,
    projects: (options) =>
      fetch({ kind: 'projects', path: '/projects', read: recordsOf(projectSchema) }, options),
    folders: async (projectId, options) => {
      const path = `/projects/${projectId}/folders`;
      const entries = await fetch({ kind: 'folders', path, read: readFolderEntries }, options);
      return entries && foldersOf(entries, projectId);
    },
    people: (options) =>
      fetch({ kind: 'people', path: '/people', read: recordsOf(personSchema) }, options),
  };
}

function recordsOf<T>(schema: z.ZodType<T>): ListAddress<T>['read'] {
  return (exchange) => readRecords(exchange, schema);
}

// An unknown project may be answered with the folders of all (appendix 2, R5).
function foldersOf(entries: AccountList<FolderEntry>, projectId: number): AccountList<Folder> {
  const folders = flattenFolders(entries.records.map(({ value }) => value));
  const isOwn = (folder: Folder) => (folder.projectId ?? projectId) === projectId;
  return {
    records: folders?.records.filter(isOwn) ?? [],
    complete: entries.complete && folders?.unreadable === 0,
  };
}

const NOT_OFFERED: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
]);

function isNotOffered(error: unknown): boolean {
  return error instanceof ServiceError && NOT_OFFERED.has(error.code);
}
