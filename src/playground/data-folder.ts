import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeIn, makeFolder } from '../base/index.ts';

/**
 * Prepares the folder in which the playground keeps its files: marks it as the playground's own,
 * locks it, and removes the files of the run before, with `fresh` also the service's. Returns a
 * function that unlocks it. Throws, with what to do, if the folder holds other files, is in use or
 * cannot be used.
 */
export function prepareDataFolder(folder: string, { fresh }: { fresh: boolean }): () => void {
  try {
    mark(folder);
    const unlock = lock(folder);
    const stale = ['slack', 'app', 'uploads', ...(fresh ? ['service'] : [])];
    for (const name of stale) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'uploads'));
    return unlock;
  } catch (error) {
    throw withAdvice(folder, error);
  }
}

// Says what to do about a failure of the system; returns any other error as it is.
function withAdvice(folder: string, error: unknown): unknown {
  const code = error instanceof Error ? codeIn(error) : '';
  if (code === '') return error;
  const why = NO_FOLDER.has(code) ? 'is not a folder' : `can’t be used (${code})`;
  return new Error(`${folder} ${why}. Name another folder with --data.`, { cause: error });
}

const NO_FOLDER = new Set(['EEXIST', 'ENOTDIR']);

/** The file that marks a folder as the playground's own. */
const MARKER = '.pigeonhole-playground';

const MARKER_TEXT =
  'Pigeonhole’s playground made this folder, and removes what is in it when it starts.\n';

/**
 * Marks a folder as the playground's own, so that the playground may remove files in it. The folder
 * must be new, empty or already marked. Throws, and changes nothing, if it holds other files.
 */
function mark(folder: string): void {
  makeFolder(folder);
  const found = readdirSync(folder);
  if (found.includes(MARKER)) return;
  if (found.length > 0)
    throw new Error(
      `${folder} holds files that the playground did not put there. Nothing was removed: name a new or an empty folder with --data, or empty this one yourself.`,
    );
  writeFileSync(join(folder, MARKER), MARKER_TEXT);
}

/** The lock file; it holds the id of the process that uses the folder. */
const LOCK = '.in-use';

/**
 * Locks a folder against other playgrounds, because each start removes files of the run before.
 * Returns a function that unlocks it. Throws while another running process holds the lock; ignores
 * the lock of a process that has ended.
 */
function lock(folder: string): () => void {
  const path = join(folder, LOCK);
  const owner = ownerOf(path);
  if (owner !== null && isRunning(owner))
    throw new Error(
      `another playground is running in ${folder} (process ${owner}). End that one first, or name another folder with --data.`,
    );
  writeFileSync(path, `${process.pid}\n`);
  return () => rmSync(path, { force: true });
}

function ownerOf(path: string): number | null {
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
