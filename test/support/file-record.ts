import type { FileRecord } from '../../src/service/index.ts';

/** A file record as the client hands it on, with nothing but what matters to the test. */
export function fileRecord(fields: Partial<FileRecord> & { id: number }): FileRecord {
  return {
    name: 'report.pdf',
    byteSize: 10,
    createdAt: null,
    updatedAt: null,
    source: null,
    approvedByMe: false,
    approvedCount: 0,
    fileType: null,
    proofCount: 0,
    url: null,
    creatorId: null,
    ...fields,
  };
}
