import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

// statfs(2), f_type
const FILE_SYSTEMS: Record<number, string> = {
  61267: 'ext4',
  16914836: 'tmpfs',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  2035054128: 'overlay',
};

/**
 * Returns a description of the machine that was measured, one line for each fact. `dataDir`: where
 * data was stored.
 */
export async function describeMachine(dataDir: string): Promise<string[]> {
  const processors = cpus();
  const { type: fileSystem } = await statfs(dataDir);
  return [
    `Processor: ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`,
    `Memory: ${(totalmem() / 1024 ** 3).toFixed(1)} GiB`,
    `System: ${type()} ${release()}`,
    `Node: ${process.version}`,
    `Data on: ${FILE_SYSTEMS[fileSystem] ?? `a file system of type ${fileSystem}`}`,
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Commit: ${await describeCommit()}`,
  ];
}

async function describeCommit(): Promise<string> {
  try {
    const { stdout } = await run('git', ['describe', '--always', '--dirty'], {
      cwd: import.meta.dirname,
    });
    return stdout.trim();
  } catch {
    return 'unknown';
  }
}
