import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchContext, Goal, Report } from '../report/report.ts';
import { shown, shownRatio } from '../report/shown-figure.ts';
import { median, percentile } from '../report/statistics.ts';
import { fillLedger } from './fill-ledger.ts';
import { LEDGER_CALLS, type LedgerCall, type LedgerTimes, timeLedger } from './ledger-calls.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const DUE = 1_000;
const CALLS = 500;
const STARTS = 5;
const LOOKUP_GOAL_MS = 5;
const START_GOAL_MS = 3_000;
const LOOKUPS: LedgerCall[] = ['claim', 'dedupe', 'next due'];

/** Measures whether the ledger slows down as it grows. */
export const ledger: Bench = {
  name: 'ledger',
  title: 'The ledger as it grows',
  run,
};

async function run({ scale, directory, say }: BenchContext): Promise<Report> {
  const measured: LedgerTimes[] = [];
  for (const size of SIZES) {
    const settled = Math.max(1, Math.round(size * scale));
    say(`${settled} transfers`);
    measured.push(await measureSize(settled, directory));
  }
  return reportOf(measured);
}

async function measureSize(settled: number, directory: string): Promise<LedgerTimes> {
  const dataDir = await mkdtemp(join(directory, 'ledger-'));
  const now = Date.now();
  try {
    await fillLedger(dataDir, { settled, due: DUE, now });
    return await timeLedger(dataDir, { settled, now, calls: CALLS, starts: STARTS });
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

function reportOf(measured: LedgerTimes[]): Report {
  const sizes = measured.map(({ settled }) => settled.toLocaleString('en'));
  const columns = ['call', ...sizes.flatMap((size) => [`${size}: median`, 'p99']), 'last to first'];
  return {
    tables: [
      {
        title: `Milliseconds a call, beside so many settled transfers and ${DUE} due ones`,
        columns,
        rows: LEDGER_CALLS.map((call) => rowOf(call, measured)),
      },
    ],
    goals: goalsOf(measured.at(-1)),
    notes: [
      `SQLite, each write on disk; ${CALLS} calls each, one after another, ${STARTS} starts.`,
      '"record" is a new share with one file; "dedupe" the same share once more; "start" opens the ledger and ends the leases that a crash left.',
    ],
    raw: measured.flatMap(({ settled, times }) =>
      LEDGER_CALLS.map((call) => `${settled}, ${call}: ${summaryOf(times[call])}`),
    ),
  };
}

function rowOf(call: LedgerCall, measured: LedgerTimes[]): string[] {
  const medians = measured.map(({ times }) => median(times[call]));
  const cells = measured.flatMap(({ times }) => [
    shown(median(times[call])),
    shown(percentile(times[call], 0.99)),
  ]);
  return [call, ...cells, shownRatio(medians.at(-1) ?? Number.NaN, medians[0] ?? Number.NaN)];
}

function goalsOf(largest: LedgerTimes | undefined): Goal[] {
  if (!largest) return [];
  const lookups = LOOKUPS.map((call) => goalOf(largest, call, LOOKUP_GOAL_MS));
  return [...lookups, goalOf(largest, 'start', START_GOAL_MS)];
}

function goalOf({ settled, times }: LedgerTimes, call: LedgerCall, goalMs: number): Goal {
  const found = percentile(times[call], 0.99);
  return {
    what: `${call}, p99, ${settled.toLocaleString('en')} transfers`,
    goal: `within ${goalMs} ms`,
    found: `${shown(found)} ms`,
    met: found <= goalMs,
  };
}

function summaryOf(times: number[]): string {
  const shares = [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1];
  return shares.map((share) => `p${share * 100} ${shown(percentile(times, share))}`).join(', ');
}
