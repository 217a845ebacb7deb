import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Holds the number of the process that is in the folder. */
const HOLDER = '.in-use';

/**
 * Keeps other playgrounds out of a folder until it is let go: each start removes what the one before
 * left there. Returns what lets it go; throws while another process is in it. One that ended without
 * letting go is not waited for.
 */
export function holdFolder(folder: string): () => void {
  const path = join(folder, HOLDER);
  const holder = holderIn(path);
  if (holder !== null && isRunning(holder))
    throw new Error(
      `another playground is running in ${folder} (process ${holder}). End that one first, or name another folder with --data`,
    );
  writeFileSync(path, `${process.pid}\n`);
  return () => rmSync(path, { force: true });
}

function holderIn(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 && pid !== process.pid ? pid : null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process may not be signalled, and runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
