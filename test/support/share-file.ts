import type { ShareFile } from '../../src/blocks/index.ts';

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
