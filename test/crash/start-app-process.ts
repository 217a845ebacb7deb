import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Orders } from './app-process.ts';
import type { KillPoint } from './kill-point.ts';

/** The app, in a process of its own. */
export interface AppProcess {
  port: number;
  pid: number;
  /** Sets where it dies from now on; null for nowhere. */
  arm(point: KillPoint | null): Promise<void>;
  kill(): void;
  /** Resolves when it is gone: with the signal that ended it, or null. */
  gone: Promise<NodeJS.Signals | null>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** A process that is starting: it can be killed before it listens. */
export interface StartingApp {
  /** Null when it died on the way. */
  started: Promise<AppProcess | null>;
  kill(): void;
}

export function startAppProcess(orders: Orders): StartingApp {
  const path = fileURLToPath(new URL('app-process.ts', import.meta.url));
  const child = fork(path, [JSON.stringify(orders)], { execArgv: [] });
  const gone = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  const kill = () => void child.kill('SIGKILL');
  return { started: started(child, gone, kill), kill };
}

async function started(
  child: ChildProcess,
  gone: AppProcess['gone'],
  kill: () => void,
): Promise<AppProcess | null> {
  const first: unknown = await Promise.race([message(child), gone.then(() => null)]);
  if (first === null) return null;
  const { port } = first as { port: number };
  return {
    port,
    pid: child.pid ?? 0,
    arm: async (point) => {
      const armed = message(child);
      child.send(point ?? 'nowhere');
      await armed;
    },
    kill,
    gone,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function message(child: ChildProcess): Promise<unknown> {
  const [first]: unknown[] = await once(child, 'message');
  return first;
}
