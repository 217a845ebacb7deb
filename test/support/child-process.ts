import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Sends a signal to a process; resolves when it is gone, at once if it is gone already. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** Resolves once a process has written a line with these words; rejects if it ends before. */
export async function untilWritten(
  child: ChildProcess,
  output: Readable,
  words: string,
): Promise<void> {
  await once(child, 'spawn');
  const lines: string[] = [];
  for await (const line of createInterface(output)) {
    lines.push(line);
    if (line.includes(words)) return void output.resume();
  }
  throw new Error(`${child.spawnfile} ended before it was ready:\n${lines.join('\n')}`);
}
