import type { FileRecord } from '../../src/service/index.ts';

/**
 * Returns a file record as the client returns it; a test gives only the fields that matter to it.
 */
export function fileRecord(fields: Partial<FileRecord> & { id: number }): FileRecord {
  return {
    name: 'report.pdf',
    byteSize: 10,
    createdAt: null,
    approvedCount: 0,
    fileType: null,
    proofCount: 0,
    url: null,
    creatorId: null,
    ...fields,
  };
}
