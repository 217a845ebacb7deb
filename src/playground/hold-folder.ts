import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lock file; it holds the id of the process that uses the folder. */
const HOLDER = '.in-use';

/**
 * Locks a folder against other playgrounds, because each start removes files of the run before.
 * Returns a function that unlocks it. Throws while another running process holds the lock; ignores
 * the lock of a process that has ended.
 */
export function holdFolder(folder: string): () => void {
  const path = join(folder, HOLDER);
  const holder = holderIn(path);
  if (holder !== null && isRunning(holder))
    throw new Error(
      `another playground is running in ${folder} (process ${holder}). End that one first, or name another folder with --data.`,
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
    // EPERM means that the process is running but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
