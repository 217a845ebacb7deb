import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ledger, openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { share } from '../../support/builders.ts';
import { median, percentile, shown, shownRatio } from '../report/figures.ts';
import {
  type Bench,
  type BenchContext,
  type Goal,
  goalWithin,
  type Report,
} from '../report/report.ts';
import { fillLedger, TEAM } from './fill-ledger.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const DUE = 1_000;
const CALLS = 500;
const STARTS = 5;
const LOOKUP_GOAL_MS = 5;
const START_GOAL_MS = 3_000;
const LEASE_MS = 30_000;

/** The ledger's calls that are measured. */
const LEDGER_CALLS = ['claim', 'record', 'dedupe', 'next due', 'start'] as const;
type LedgerCall = (typeof LEDGER_CALLS)[number];
const LOOKUPS: LedgerCall[] = ['claim', 'dedupe', 'next due'];

/** Measures whether the ledger slows down as it grows. */
export const ledger: Bench = {
  name: 'ledger',
  title: 'The ledger as it grows',
  run,
};

/** Milliseconds of each call on a ledger that holds this many settled transfers. */
interface LedgerTimes {
  settled: number;
  times: Record<LedgerCall, number[]>;
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const measured: LedgerTimes[] = [];
  for (const size of SIZES) {
    const settled = Math.max(1, Math.round(size * scale));
    progress(`${settled} transfers`);
    measured.push(await measureSize(settled, directory));
  }
  return reportOf(measured);
}

async function measureSize(settled: number, directory: string): Promise<LedgerTimes> {
  const dataDir = await mkdtemp(join(directory, 'ledger-'));
  const now = Date.now();
  try {
    await fillLedger(dataDir, { settled, due: DUE, now });
    return { settled, times: await timeCalls(dataDir, now) };
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Measures the calls of a filled ledger one by one. */
async function timeCalls(dataDir: string, now: number): Promise<LedgerTimes['times']> {
  const start = await timeStarts(dataDir, now);
  const ledger = await openLedger(sqliteDialect(dataDir), now);
  try {
    return {
      start,
      claim: await timeEach(claiming(ledger, now)),
      record: await timeEach(recording(ledger, now)),
      dedupe: await timeEach(recording(ledger, now)),
      'next due': await timeEach(() => ledger.nextFiling({ largest: null })),
    };
  } finally {
    await ledger.close();
  }
}

async function timeEach(call: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const begun = performance.now();
    await call(index);
    times.push(performance.now() - begun);
  }
  return times;
}

async function timeStarts(dataDir: string, now: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const begun = performance.now();
    const ledger = await openLedger(sqliteDialect(dataDir), now);
    times.push(performance.now() - begun);
    await ledger.close();
  }
  return times;
}

// Takes the queues in turn, as the worker does.
function claiming(ledger: Ledger, now: number) {
  let afterQueue = '';
  return async (index: number) => {
    const lease = { now, until: now + LEASE_MS, token: `bench-${index}` };
    const claimed = await ledger.claimFiling({ ...lease, afterQueue, largest: null });
    if (claimed?.kind !== 'upload') throw new Error('No upload was due');
    afterQueue = claimed.queue;
  };
}

function recording(ledger: Ledger, now: number) {
  return (index: number) =>
    ledger.recordShare({
      share: share({ team: TEAM, channel: `C${index % 20}`, ts: `1700000000.${100_000 + index}` }),
      origin: 'event',
      destination: { projectId: PROJECT, folderId: FOLDER },
      reportId: null,
      now,
    });
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
  const what = `${call}, p99, ${settled.toLocaleString('en')} transfers`;
  return goalWithin(what, percentile(times[call], 0.99), [goalMs, 'ms']);
}

function summaryOf(times: number[]): string {
  const shares = [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1];
  return shares.map((share) => `p${share * 100} ${shown(percentile(times, share))}`).join(', ');
}
