import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRODUCT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(PRODUCT, 'src', 'main.ts');

/** The product as a process of its own, and all that it wrote. */
export interface AppProcess {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves with what `pattern` finds in the output; rejects when the process ends before. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it as a supervisor does; resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `src/main.ts` with these settings alone, in `directory`. */
export function startAppProcess(directory: string, settings: Record<string, string>): AppProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...settings };
  return watch(spawn(process.execPath, [MAIN], { cwd: directory, env }));
}

/**
 * The same through a real `npm start`; `child` is npm, the leader of a process group of its own.
 * `directory` comes to hold what npm needs of the product: a developer's `.env` is not read.
 */
export function startWithNpm(directory: string, settings: Record<string, string>): AppProcess {
  for (const name of ['package.json', 'src', 'node_modules'])
    symlinkSync(join(PRODUCT, name), join(directory, name));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: directory, npm_config_update_notifier: 'false', ...settings };
  return watch(spawn('npm', ['start'], { cwd: directory, env, detached: true }));
}

function watch(child: ChildProcess): AppProcess {
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
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
