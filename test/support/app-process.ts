import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** `src/main.ts` as a process of its own, and all that it wrote. */
export interface AppProcess {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves with what `pattern` finds in the output; rejects when the process ends before. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it as a supervisor does; resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts it with these settings alone, in `directory`. */
export function startAppProcess(directory: string, settings: Record<string, string>): AppProcess {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN], { cwd: directory, env: { PATH, ...settings } });
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  const wrote = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const found = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const match = pattern.exec(output);
      if (match) found.resolve(match);
    };
    listeners.add(look);
    look();
    exited.then(() => found.reject(new Error(`The process ended, having written: ${output}`)));
    return found.promise.finally(() => listeners.delete(look));
  };
  return {
    child,
    output: () => output,
    wrote,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
