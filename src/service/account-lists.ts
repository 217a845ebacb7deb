import type { z } from 'zod';
import type { Logger } from '../base/index.ts';
import type { CallOptions } from './client.ts';
import type { Folder, Person, Project } from './file-record.ts';
import type { Identified } from './lists/listing.ts';
import { type ListAddress, pageReader } from './lists/page.ts';
import type { ListKind, Paging } from './lists/paging.ts';
import { readWholeList } from './lists/read-on.ts';
import { folderSchema, personSchema, projectSchema } from './requests/answer-schemas.ts';
import { readRecords } from './requests/read-answer.ts';
import { callOnce, operationOf, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError } from './requests/service-error.ts';

/** The lists outside the specified interface (service interface, appendix). */
export interface AccountLists {
  projects(options: CallOptions): Promise<Project[] | null>;
  folders(projectId: number, options: CallOptions): Promise<Folder[] | null>;
  people(options: CallOptions): Promise<Person[] | null>;
  /** One request, never repeated, whose answer is not read; rejects when the service fails. */
  check(options: CallOptions): Promise<void>;
}

/**
 * Each list is read to its end, page by page, and null where the account does not offer the call
 * (404, 403).
 */
export function createAccountLists(
  parts: ServiceParts,
  { paging, logger }: { paging: Paging; logger: Logger },
): AccountLists {
  async function fetch<T extends Identified>(
    { kind, path, read }: ListAddress<T> & { kind: ListKind },
    options: CallOptions,
  ): Promise<T[] | null> {
    try {
      const readPage = pageReader(parts, { path, read }, options);
      const source = { kind, paging, readPage };
      const { records, unreadable, trailing, state } = await readWholeList(source);
      const odd = unreadable + trailing;
      if (odd > 0) logger.warn({ path, unreadable: odd }, 'Records of the service are unreadable');
      if (state !== 'whole') logger.warn({ path }, 'A list could not be read to its end');
      return [...records.values()];
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
    folders: (projectId, options) => {
      const path = `/projects/${projectId}/folders`;
      return fetch({ kind: 'folders', path, read: recordsOf(folderSchema) }, options);
    },
    people: (options) =>
      fetch({ kind: 'people', path: '/people', read: recordsOf(personSchema) }, options),
  };
}

function recordsOf<T>(schema: z.ZodType<T>): ListAddress<T>['read'] {
  return (exchange) => readRecords(exchange, schema);
}

function isNotOffered(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_NOT_FOUND' || error.code === 'SERVICE_FORBIDDEN')
  );
}
