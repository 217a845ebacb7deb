import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/index.ts';
import type { Message, Orders } from './app-process.ts';
import type { KillPoint } from './kill-point.ts';

/** The app in a process of its own. */
export interface AppProcess {
  port: number;
  pid: number;
  /** Sets where it dies from now on; null: nowhere. */
  arm(point: KillPoint | null): Promise<void>;
  kill(): void;
  /**
   * Resolves with true when everything is filed and reported; with false if the process died
   * before.
   */
  atRest(): Promise<boolean>;
  /** Settles as `work` does, but rejects as soon as the process ends without an order. */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** Resolves with whether it is killed within this many milliseconds. */
  died(withinMs: number): Promise<boolean>;
  /** Shuts it down in order. */
  stop(): Promise<void>;
}

/** A process that is starting: it can be killed before it listens. */
export interface StartingApp {
  /** Resolves with null if the process died during the start. */
  started: Promise<AppProcess | null>;
  kill(): void;
  gone: Promise<unknown>;
}

export function startAppProcess(orders: Orders): StartingApp {
  const path = fileURLToPath(new URL('app-process.ts', import.meta.url));
  const child = fork(path, [JSON.stringify(orders)], { execArgv: [] });
  const gone = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  const kill = () => void child.kill('SIGKILL');
  return { started: started(child, gone, kill), kill, gone };
}

async function started(
  child: ChildProcess,
  gone: Promise<NodeJS.Signals | null>,
  kill: () => void,
): Promise<AppProcess | null> {
  const first: unknown = await Promise.race([message(child), gone.then(() => null)]);
  if (first === null) return null;
  const { port } = first as { port: number };
  return {
    port,
    pid: child.pid ?? 0,
    arm: async (point) => {
      await ask(child, { arm: point });
    },
    atRest: () => Promise.race([ask(child, 'rest').then(() => true), gone.then(() => false)]),
    kill,
    whileAlive: (work) => Promise.race([work, gone.then(endedByItself)]),
    died: (withinMs) => diesWithin(gone, withinMs),
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function endedByItself(signal: NodeJS.Signals | null): never {
  throw new Error(`The app ended by itself, ${signal ? `of ${signal}` : 'without a signal'}`);
}

async function diesWithin(gone: Promise<NodeJS.Signals | null>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const alive = systemClock.sleep(ms, waiting.signal).then(
    () => null,
    () => null,
  );
  const signal = await Promise.race([gone, alive]);
  waiting.abort();
  return signal === 'SIGKILL';
}

function ask(child: ChildProcess, question: Message): Promise<unknown> {
  const answer = message(child);
  child.send(question);
  return answer;
}

async function message(child: ChildProcess): Promise<unknown> {
  const [first]: unknown[] = await once(child, 'message');
  return first;
}
