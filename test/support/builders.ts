import type { Share, SharedFile } from '../../src/core/index.ts';
import type { Ledger, Link } from '../../src/ledger/index.ts';
import type { BulkSlot, FileRecord } from '../../src/service/index.ts';
import type { ShareFile } from '../../src/surfaces/kit/file-lines.ts';

/** The folder that files go to unless a test names another. */
export const DESTINATION = { projectId: 1, folderId: 2 };

/** Returns a plain hosted file, as a share carries it. */
export function sharedFile(overrides: Partial<SharedFile> = {}): SharedFile {
  return {
    id: 'F1',
    name: 'report.pdf',
    title: null,
    mimetype: 'application/pdf',
    filetype: 'pdf',
    size: 10,
    mode: 'hosted',
    isExternal: false,
    fileAccess: null,
    url: 'https://files.slack.com/files-pri/T1-F1/download/report.pdf',
    uploader: 'U1',
    ...overrides,
  };
}

/** A share of one file in a channel. */
export function share(overrides: Partial<Share> = {}): Share {
  return {
    team: 'T1',
    channel: 'C1',
    ts: '1700000000.000100',
    threadTs: null,
    userId: 'U1',
    files: [sharedFile()],
    ...overrides,
  };
}

/** Returns a channel's link to that folder, whose name is not known. */
export function folderLink(overrides: Partial<Link> = {}): Link {
  const names = { projectTitle: null, folderName: null };
  return { ...DESTINATION, ...names, linkedBy: 'U1', linkedAt: 1, ...overrides };
}

type Recording = Parameters<Ledger['recordShare']>[0];

/** Returns what the ledger needs to record a share: by default one from an event, for a folder. */
export function recording(
  overrides: Partial<Share> = {},
  rest: Partial<Omit<Recording, 'share'>> = {},
): Recording {
  const given = { origin: 'event', destination: DESTINATION, reportId: null, now: 1_000 } as const;
  return { ...given, share: share(overrides), ...rest };
}

/**
 * Returns a file of a share as its line describes it: by default filed, with nothing else known.
 */
export function shareFile(name: string, changes: Partial<ShareFile> = {}): ShareFile {
  return {
    name,
    url: null,
    sizeBytes: null,
    phase: 'filed',
    problem: null,
    problemNote: null,
    nextTryAt: null,
    progress: null,
    place: null,
    deletedBy: null,
    hasRecord: true,
    ...changes,
  };
}

/** A slot that limits nothing. */
export const freeSlot: BulkSlot = { take: () => null, giveBack: () => undefined };

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
