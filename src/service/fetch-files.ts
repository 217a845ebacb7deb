import type { Destination } from '../transfers/destination.ts';
import type { CallOptions } from './client.ts';
import type { FileList } from './file-record.ts';
import { fileRecordSchema } from './requests/answer-schemas.ts';
import { readRecords } from './requests/read-answer.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from './requests/service-calls.ts';

/** Fetches all files of a folder (service interface, section 4.1). */
export function fetchFiles(
  parts: ServiceParts,
  destination: Destination,
  options: CallOptions,
): Promise<FileList> {
  const operation = operationOf('GET', filesPath(destination));
  return repeat(parts, options, () =>
    callOnce(parts, { operation, options }, (answer, apiKey) => {
      const { records, unreadable } = readRecords({ operation, answer, apiKey }, fileRecordSchema);
      const { serviceTime, askedAt: fetchedAt } = answer;
      return { files: records, unreadable, complete: true, serviceTime, fetchedAt };
    }),
  );
}

/** The path of a folder's files, below `{base_url}`. */
export function filesPath({ projectId, folderId }: Destination): string {
  return `/projects/${projectId}/folders/${folderId}/files`;
}
