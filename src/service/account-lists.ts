import type { z } from 'zod';
import type { Logger } from '../base/index.ts';
import type { CallOptions } from './client.ts';
import type { Folder, Person, Project } from './file-record.ts';
import { folderSchema, personSchema, projectSchema } from './requests/answer-schemas.ts';
import { readRecords } from './requests/read-answer.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError } from './requests/service-error.ts';

/** The lists outside the specified interface (service interface, appendix). */
export interface AccountLists {
  projects(options: CallOptions): Promise<Project[] | null>;
  folders(projectId: number, options: CallOptions): Promise<Folder[] | null>;
  people(options: CallOptions): Promise<Person[] | null>;
  /** One request, never repeated, whose answer is not read; rejects when the service fails. */
  check(options: CallOptions): Promise<void>;
}

/** Each list is null where the account does not offer the call (404, 403). */
export function createAccountLists(parts: ServiceParts, logger: Logger): AccountLists {
  async function fetch<T>(
    path: string,
    schema: z.ZodType<T>,
    options: CallOptions,
  ): Promise<T[] | null> {
    const operation = operationOf('GET', path);
    try {
      const { records, unreadable } = await repeat(parts, options, () =>
        callOnce(parts, { operation, options }, (answer, apiKey) =>
          readRecords({ operation, answer, apiKey }, schema),
        ),
      );
      if (unreadable > 0)
        logger.warn({ path, unreadable }, 'records of the service are unreadable');
      return records;
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
    projects: (options) => fetch('/projects', projectSchema, options),
    folders: (projectId, options) => fetch(`/projects/${projectId}/folders`, folderSchema, options),
    people: (options) => fetch('/people', personSchema, options),
  };
}

function isNotOffered(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_NOT_FOUND' || error.code === 'SERVICE_FORBIDDEN')
  );
}
