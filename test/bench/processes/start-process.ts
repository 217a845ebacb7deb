import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Calls, Question, Reply } from './calls.ts';

/** A process of a bench, with its own memory, processor time and event loop. */
export interface BenchProcess<C extends Calls> {
  pid: number;
  /** Rejects with the call's own error, or if the process ends before it responds. */
  call<N extends keyof C & string>(
    name: N,
    argument: Parameters<C[N]>[0],
  ): Promise<Awaited<ReturnType<C[N]>>>;
  /** Kills the process; it has nothing to save. */
  stop(): Promise<void>;
}

/**
 * Starts a module that serves calls (see serve-calls.ts), with flags for Node. `module` is relative
 * to this folder.
 */
export async function startProcess<C extends Calls>(
  module: string,
  { args = [], flags = [] }: { args?: string[]; flags?: string[] } = {},
): Promise<BenchProcess<C>> {
  const child = fork(new URL(module, import.meta.url), args, {
    execArgv: flags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const waiting = waitForReplies(child, module);
  await once(child, 'spawn');
  let asked = 0;
  return {
    pid: child.pid ?? 0,
    call: (name, argument) => {
      asked += 1;
      const question: Question = { id: asked, name, argument };
      const reply = new Promise<Awaited<ReturnType<C[typeof name]>>>((resolve, reject) => {
        waiting.set(asked, { resolve: (value) => resolve(value as never), reject });
      });
      child.send(question);
      return reply;
    },
    stop: () => stop(child),
  };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function waitForReplies(child: ChildProcess, module: string): Map<number, Waiting> {
  const waiting = new Map<number, Waiting>();
  child.on('message', ({ id, value, error }: Reply) => {
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(`${module}: ${error}`));
    waiting.delete(id);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${module} has ended (${code ?? signal})`));
    waiting.clear();
  });
  return waiting;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
