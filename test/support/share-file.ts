import type { ShareFile } from '../../src/blocks/index.ts';

/** A file of a share as its line describes it: filed, and nothing more is known of it. */
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
