import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRODUCT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(PRODUCT, 'src', 'main.ts');

/** The product running as a process of its own, with everything it wrote. */
export interface MainProcess {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves with the match of `pattern` in the output; rejects if the process ends first. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends SIGTERM, as a supervisor does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `src/main.ts` in `directory` with these settings, and arguments, only. */
export function startMain(
  directory: string,
  settings: Record<string, string>,
  ...given: string[]
): MainProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...settings };
  return watch(spawn(process.execPath, [MAIN, ...given], { cwd: directory, env }));
}

/**
 * Does the same through a real `npm start`. `child` is npm, the leader of a process group of its
 * own. What npm needs of the product is put into `directory`, so a developer's `.env` is not read.
 */
export function startWithNpm(directory: string, settings: Record<string, string>): MainProcess {
  for (const name of ['package.json', 'src', 'node_modules'])
    symlinkSync(join(PRODUCT, name), join(directory, name));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: directory, npm_config_update_notifier: 'false', ...settings };
  return watch(spawn('npm', ['start'], { cwd: directory, env, detached: true }));
}

function watch(child: ChildProcess): MainProcess {
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
