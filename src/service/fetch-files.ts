import type { Destination } from '../transfers/destination.ts';
import type { CallOptions } from './client.ts';
import type { FileRecord } from './file-record.ts';
import { pageReader, type ReadPage } from './lists/page.ts';
import type { Exchange } from './requests/answer-error.ts';
import { fileRecordSchema } from './requests/answer-schemas.ts';
import { readRecords } from './requests/read-answer.ts';
import type { ServiceParts } from './requests/service-calls.ts';

/** Fetches pages of a folder's files (service interface, section 4.1). */
export function filePages(
  parts: ServiceParts,
  destination: Destination,
  options: CallOptions,
): ReadPage<FileRecord> {
  const path = filesPath(destination);
  const read = (exchange: Exchange) => readRecords(exchange, fileRecordSchema);
  return pageReader(parts, { path, read }, options);
}

/** The path of a folder's files, below `{base_url}`. */
export function filesPath({ projectId, folderId }: Destination): string {
  return `/projects/${projectId}/folders/${folderId}/files`;
}
