import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's in-memory folder, and the free space it must have, in bytes. */
const MEMORY = '/dev/shm';
const ENOUGH = 2 ** 30;

/**
 * Puts the temporary folders of all test processes into one folder that is removed at the end. It
 * is in memory where there is room, because a ledger waits for its disk at every write.
 */
export default function useFolderInMemory(): () => void {
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'pigeonhole-tests-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}
