import type { z } from 'zod';
import type { Logger } from '../base/index.ts';
import type { CallOptions } from './client.ts';
import type { AccountList, Folder, Person, Project } from './file-record.ts';
import { badAnswer, type Exchange } from './requests/answer-error.ts';
import { personSchema, projectSchema } from './requests/answer-schemas.ts';
import { flattenFolders } from './requests/flatten-folders.ts';
import { parseJson } from './requests/parse-json.ts';
import { readRecords } from './requests/read-answer.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError, type ServiceErrorCode } from './requests/service-error.ts';

/** The lists outside the specified interface (service interface, appendix). */
export interface AccountLists {
  projects(options: CallOptions): Promise<AccountList<Project> | null>;
  folders(projectId: number, options: CallOptions): Promise<AccountList<Folder> | null>;
  people(options: CallOptions): Promise<AccountList<Person> | null>;
  /** One request, never repeated, whose answer is not read; rejects when the service fails. */
  check(options: CallOptions): Promise<void>;
}

/** Reads the records of an answer; those that cannot be read are counted. */
type ReadRecords<T> = (exchange: Exchange) => { records: T[]; unreadable: number };

/** Each list is null where the account does not offer the call (404, 403, or a refusal within a 200). */
export function createAccountLists(parts: ServiceParts, logger: Logger): AccountLists {
  async function fetch<T>(
    path: string,
    read: ReadRecords<T>,
    options: CallOptions,
  ): Promise<AccountList<T> | null> {
    const operation = operationOf('GET', path);
    try {
      const { records, unreadable } = await repeat(parts, options, () =>
        callOnce(parts, { operation, options }, (answer, apiKey) =>
          read({ operation, answer, apiKey }),
        ),
      );
      if (unreadable > 0)
        logger.warn({ path, unreadable }, 'records of the service are unreadable');
      return { records, complete: unreadable === 0 };
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
    projects: (options) => fetch('/projects', by(projectSchema), options),
    folders: (projectId, options) =>
      fetch(
        `/projects/${projectId}/folders`,
        (exchange) => readFolders(exchange, projectId),
        options,
      ),
    people: (options) => fetch('/people', by(personSchema), options),
  };
}

function by<T>(schema: z.ZodType<T>): ReadRecords<T> {
  return (exchange) => readRecords(exchange, schema);
}

// An unknown project may be answered with the folders of all (appendix 2, R5).
function readFolders(exchange: Exchange, projectId: number) {
  const folders = flattenFolders(parseJson(exchange.answer.text));
  if (!folders) throw badAnswer(exchange, 'something that is no list of folders');
  const isOwn = (folder: Folder) => (folder.projectId ?? projectId) === projectId;
  return { ...folders, records: folders.records.filter(isOwn) };
}

const NOT_OFFERED: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
]);

function isNotOffered(error: unknown): boolean {
  return error instanceof ServiceError && NOT_OFFERED.has(error.code);
}
