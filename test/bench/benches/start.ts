import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contestant, emptyBolt } from '../processes/contestants.ts';
import { NO_LIMIT, startWorld, type World } from '../processes/start-world.ts';
import type { Bench, BenchContext, Report } from '../report/report.ts';
import { shown, shownRatio } from '../report/shown-figure.ts';
import { median, most } from '../report/statistics.ts';
import { fillLedger } from './fill-ledger.ts';
import { type MainStart, type StartTimes, timeMain } from './start-main.ts';

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

interface Starts {
  name: string;
  times: StartTimes[];
}

async function run({ scale, directory, say }: BenchContext): Promise<Report> {
  const old = Math.round(OLD_TRANSFERS * scale);
  // So many starts would reach the real limit together.
  const world = await startWorld({ directory, rateLimit: NO_LIMIT });
  try {
    say(`${old} old transfers are made`);
    const fullDir = await mkdtemp(join(directory, 'full-'));
    await fillLedger(fullDir, { settled: old, due: 0, now: Date.now() });
    say(`${RUNS} starts of each, in turn`);
    const first: Starts = { name: 'an empty ledger, the first after an install', times: [] };
    const empty: Starts = { name: 'an empty ledger', times: [] };
    const full: Starts = { name: `${old.toLocaleString('en')} old transfers`, times: [] };
    const bolt: Starts = { name: 'empty Bolt app', times: [] };
    for (let count = 0; count < RUNS; count += 1) {
      const compiled = await mkdtemp(join(directory, 'compiled-'));
      const surroundings = { ...world.surroundings, compiled };
      first.times.push(await timeOn(null, surroundings, directory));
      empty.times.push(await timeOn(null, surroundings, directory));
      full.times.push(await timeOn(fullDir, surroundings, directory));
      bolt.times.push(await timeContestant(emptyBolt, world));
    }
    return reportOf({ first, empty, full, bolt });
  } finally {
    await world.stop();
  }
}

// Uses a copy of the data: after an earlier run on the same data, the app sends nothing for a
// window.
async function timeOn(
  data: string | null,
  surroundings: Omit<MainStart, 'dataDir'>,
  directory: string,
): Promise<StartTimes> {
  const dataDir = await mkdtemp(join(directory, 'data-'));
  try {
    if (data) await cp(data, dataDir, { recursive: true });
    return await timeMain({ ...surroundings, dataDir });
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function timeContestant(contestant: Contestant, world: World): Promise<StartTimes> {
  const begun = performance.now();
  const app = await world.startApp(contestant);
  const ms = performance.now() - begun;
  await app.process.stop();
  return { healthzMs: ms, readyzMs: Number.NaN };
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
      ...[first, empty].map(readyGoal),
      {
        what: `start with ${full.name}, slowest`,
        goal: `within ${SLOWEST_GOAL_MS} ms`,
        found: `${shown(slowest)} ms`,
        met: slowest <= SLOWEST_GOAL_MS,
      },
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

function readyGoal(starts: Starts) {
  const found = medianOf(starts, 'readyzMs');
  return {
    what: `ready with ${starts.name}`,
    goal: `within ${READY_GOAL_MS} ms`,
    found: `${shown(found)} ms`,
    met: found <= READY_GOAL_MS,
  };
}

function medianOf({ times }: Starts, which: keyof StartTimes): number {
  return median(times.map((one) => one[which]));
}
