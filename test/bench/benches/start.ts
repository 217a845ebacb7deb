import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endProcess } from '../../support/child-process.ts';
import { freePort } from '../../support/loopback.ts';
import { emptyBolt, startFlags } from '../processes/apps.ts';
import { type Environment, NO_LIMIT, startEnvironment } from '../processes/environment.ts';
import { type MeasuredAppOptions, pigeonholeSettings } from '../processes/measured-app.ts';
import { median, most, shown, shownRatio } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';
import { fillLedger } from './fill-ledger.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const LOOK_EVERY_MS = 2;
const MAX_MS = 30_000;
const OLD_TRANSFERS = 1_000_000;
const RUNS = 5;
const READY_GOAL_MS = 700;
const SLOWEST_GOAL_MS = 3_000;

/** Measures how long the product takes to start. */
export const start: Bench = {
  name: 'start',
  title: 'From the start until it is ready',
  run,
};

/** Milliseconds from the start of the process until each address returns 200. */
interface StartTimes {
  healthzMs: number;
  readyzMs: number;
}

interface Starts {
  name: string;
  times: StartTimes[];
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const old = Math.round(OLD_TRANSFERS * scale);
  // So many starts would reach the real limit together.
  await using environment = await startEnvironment({ directory, rateLimit: NO_LIMIT });
  progress(`${old} old transfers are made`);
  const fullDir = await mkdtemp(join(directory, 'full-'));
  await fillLedger(fullDir, { settled: old, due: 0, now: Date.now() });
  progress(`${RUNS} starts of each, in turn`);
  const first: Starts = { name: 'an empty ledger, the first after an install', times: [] };
  const empty: Starts = { name: 'an empty ledger', times: [] };
  const full: Starts = { name: `${old.toLocaleString('en')} old transfers`, times: [] };
  const bolt: Starts = { name: 'empty Bolt app', times: [] };
  for (let count = 0; count < RUNS; count += 1) {
    const compiled = await mkdtemp(join(directory, 'compiled-'));
    const options = { ...environment.appOptions, compiled };
    first.times.push(await timeOn(null, options, directory));
    empty.times.push(await timeOn(null, options, directory));
    full.times.push(await timeOn(fullDir, options, directory));
    bolt.times.push(await timeEmptyBolt(environment));
  }
  return reportOf({ first, empty, full, bolt });
}

// Uses a copy of the data: after an earlier run on the same data, the app sends nothing for a
// window.
async function timeOn(
  data: string | null,
  options: Omit<MainOptions, 'dataDir'>,
  directory: string,
): Promise<StartTimes> {
  const dataDir = await mkdtemp(join(directory, 'data-'));
  try {
    if (data) await cp(data, dataDir, { recursive: true });
    return await timeMain({ ...options, dataDir });
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function timeEmptyBolt(environment: Environment): Promise<StartTimes> {
  const begun = performance.now();
  const app = await environment.startApp(emptyBolt);
  const ms = performance.now() - begun;
  await app.process.stop();
  return { healthzMs: ms, readyzMs: Number.NaN };
}

interface MainOptions extends MeasuredAppOptions {
  /** The folder of Node.js's compile cache. */
  compiled: string;
}

/** Starts the product as `npm start` does, and stops it as a supervisor does, once it is ready. */
async function timeMain(options: MainOptions): Promise<StartTimes> {
  const port = await freePort();
  const begun = performance.now();
  const main = spawn(process.execPath, [...startFlags(), MAIN], {
    cwd: options.dataDir,
    env: {
      ...pigeonholeSettings(options),
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
    await endProcess(main, 'SIGTERM');
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

function reportOf({
  first,
  empty,
  full,
  bolt,
}: Record<'first' | 'empty' | 'full' | 'bolt', Starts>): Report {
  const base = medianOf(bolt, 'healthzMs');
  const slowest = most(full.times.map(({ healthzMs }) => healthzMs));
  return {
    tables: [
      {
        title: `Milliseconds, medians of ${RUNS} starts`,
        columns: ['with', '/healthz answers', '/readyz answers', 'times the empty app'],
        rows: [first, empty, full, bolt].map((starts) => [
          starts.name,
          shown(medianOf(starts, 'healthzMs')),
          shown(medianOf(starts, 'readyzMs')),
          shownRatio(medianOf(starts, 'healthzMs'), base),
        ]),
      },
    ],
    goals: [
      ...[first, empty].map((starts) =>
        goalWithin(`ready with ${starts.name}`, medianOf(starts, 'readyzMs'), [
          READY_GOAL_MS,
          'ms',
        ]),
      ),
      goalWithin(`start with ${full.name}, slowest`, slowest, [SLOWEST_GOAL_MS, 'ms']),
    ],
    notes: [
      'From the start of the process, Node itself included. `/readyz` answers when the database, Slack and the service do.',
      'The first start after an install compiles the code; those after it load what it kept.',
      'Each start has data that no process has worked with: after one, the first request to the service, and with it `/readyz`, waits until the window of that process is over.',
      'The empty Bolt app: one listener, no ledger; until it listens.',
    ],
    raw: [first, empty, full, bolt].map(
      ({ name, times }) => `${name}: ${times.map(({ healthzMs }) => shown(healthzMs)).join(' ')}`,
    ),
  };
}

function medianOf({ times }: Starts, which: keyof StartTimes): number {
  return median(times.map((one) => one[which]));
}
