import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/free-port.ts';
import type { AppStart } from '../processes/app-start.ts';
import { pigeonholeEnvironment } from '../processes/pigeonhole-environment.ts';
import { startFlags } from '../processes/start-flags.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const LOOK_EVERY_MS = 2;
const MAX_MS = 30_000;

/** Milliseconds from the start of the process until each address answers with 200. */
export interface StartTimes {
  healthzMs: number;
  readyzMs: number;
}

/** Of a start of the product itself. */
export interface MainStart extends AppStart {
  /** The folder in which what Node.js has compiled is kept. */
  compiled: string;
}

/** Starts the product as `npm start` does, and stops it as a supervisor does once it is ready. */
export async function timeMain(options: MainStart): Promise<StartTimes> {
  const port = await freePort();
  const begun = performance.now();
  const main = spawn(process.execPath, [...startFlags(), MAIN], {
    cwd: options.dataDir,
    env: {
      ...pigeonholeEnvironment(options),
      PORT: String(port),
      LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: options.compiled,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilOk(main, `http://127.0.0.1:${port}/healthz`);
    const healthzMs = performance.now() - begun;
    await untilOk(main, `http://127.0.0.1:${port}/readyz`);
    return { healthzMs, readyzMs: performance.now() - begun };
  } finally {
    await end(main);
  }
}

async function untilOk(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  let problem: string | null = null;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`It ended (${child.exitCode})`);
    problem = await problemAt(url);
    if (problem === null) return;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`${url}: ${problem}`);
}

async function problemAt(url: string): Promise<string | null> {
  try {
    const response = await fetch(url);
    const text = await response.text();
    return response.ok ? null : text;
  } catch (error) {
    return String(error);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
