import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import type { AppProcessOptions, KillPoint, Message } from './app-process-main.ts';

/** The app, with options of a test, in a process of its own. */
export interface AppProcess {
  port: number;
  /** Sets where it dies from now on; null: nowhere. */
  arm(point: KillPoint | null): Promise<void>;
  /**
   * Resolves with true when everything is filed and reported; with false if the process died
   * before.
   */
  atRest(): Promise<boolean>;
  /** Settles as `work` does, but rejects as soon as the process ends without an order. */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** Resolves with whether it is killed within this many milliseconds. */
  died(withinMs: number): Promise<boolean>;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Freezes the process, in whatever it does. */
  freeze(): void;
  /** Lets a frozen process go on. */
  wake(): void;
  /** Shuts it down in order; resolves when it is gone. Does nothing if it is gone already. */
  stop(): Promise<void>;
}

/** A process that is starting: it can be killed before it listens. */
export interface StartingApp {
  /** Resolves with null if the process died during the start. */
  started: Promise<AppProcess | null>;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

type Signal = NodeJS.Signals | null;

export function startAppProcess(options: AppProcessOptions): StartingApp {
  const main = join(import.meta.dirname, 'app-process-main.ts');
  const child = fork(main, [JSON.stringify(options)], { execArgv: [] });
  const gone = once(child, 'exit').then(([, signal]) => signal as Signal);
  return { started: started(child, gone), kill: () => end(child, gone, 'SIGKILL') };
}

async function started(child: ChildProcess, gone: Promise<Signal>): Promise<AppProcess | null> {
  const first: unknown = await Promise.race([nextMessage(child), gone.then(() => null)]);
  if (first === null) return null;
  const { port } = first as { port: number };
  return {
    port,
    arm: async (point) => {
      await ask(child, { arm: point });
    },
    atRest: () => Promise.race([ask(child, 'rest').then(() => true), gone.then(() => false)]),
    whileAlive: (work) => Promise.race([work, gone.then(endedByItself)]),
    died: (withinMs) => diesWithin(gone, withinMs),
    kill: () => end(child, gone, 'SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    stop: () => end(child, gone, 'SIGTERM'),
  };
}

async function end(child: ChildProcess, gone: Promise<Signal>, signal: NodeJS.Signals) {
  child.kill(signal);
  // A frozen process gets the other signal only then.
  child.kill('SIGCONT');
  await gone;
}

function endedByItself(signal: Signal): never {
  throw new Error(`The app ended by itself, ${signal ? `of ${signal}` : 'without a signal'}`);
}

async function diesWithin(gone: Promise<Signal>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const alive = systemClock.sleep(ms, waiting.signal).catch(() => null);
  const signal = await Promise.race([gone, alive]);
  waiting.abort();
  return signal === 'SIGKILL';
}

function ask(child: ChildProcess, question: Message): Promise<unknown> {
  const answer = nextMessage(child);
  child.send(question);
  return answer;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, 'message');
  return message;
}
