import { obviousSetUp, pigeonhole } from '../processes/apps.ts';
import { median, most, shown, shownRatio } from '../report/figures.ts';
import {
  type Bench,
  type BenchContext,
  type Goal,
  goalWithin,
  type Report,
} from '../report/report.ts';
import { type Burst, type BurstPlan, compareBursts } from './burst.ts';

const PLANS: readonly BurstPlan[] = [
  { shares: 1, filesEach: 1 },
  { shares: 10, filesEach: 1 },
  { shares: 5, filesEach: 2 },
  { shares: 18, filesEach: 1 },
];
const RUNS = 3;
const GOAL_SECONDS = 1.5;

/** Measures how soon a few files in an idle workspace are filed, as a team shares them all day. */
export const smallBursts: Bench = {
  name: 'small-bursts',
  title: 'A few files shared at once in an idle workspace',
  run,
};

/** One plan; each run is a burst for Pigeonhole and for the obvious set-up. */
interface Measured {
  title: string;
  runs: Burst[][];
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const measured: Measured[] = [];
  for (const plan of PLANS) {
    const title = titleOf(plan);
    progress(`${title}, Pigeonhole and the obvious set-up`);
    const runs: Burst[][] = [];
    for (let one = 0; one < Math.max(1, Math.round(RUNS * scale)); one += 1)
      runs.push(await compareBursts([pigeonhole, obviousSetUp], plan, directory));
    measured.push({ title, runs });
  }
  const columns = [
    'shared',
    'set-up',
    'seconds, median',
    'most',
    'requests',
    '429s',
    'times as long',
  ];
  return {
    tables: [
      {
        title: `From the first event until every file is in its folder; of ${measured[0]?.runs.length} runs`,
        columns,
        rows: measured.flatMap(rowsOf),
      },
    ],
    goals: measured.map(goalOf),
    notes: NOTES,
    raw: measured.flatMap(({ runs }) => runs.flat().map((burst) => JSON.stringify(burst))),
  };
}

function titleOf({ shares, filesEach }: BurstPlan): string {
  if (shares === 1) return '1 file';
  return filesEach === 1 ? `${shares} shares of one file` : `${shares} shares of ${filesEach}`;
}

function secondsOf({ runs }: Measured, nth: number): number[] {
  return runs.flatMap((bursts) => bursts[nth]?.seconds ?? []);
}

function rowsOf(measured: Measured): string[][] {
  const ours = median(secondsOf(measured, 0));
  const names = measured.runs[0]?.map(({ name }) => name) ?? [];
  return names.map((name, nth) => {
    const seconds = secondsOf(measured, nth);
    const bursts = measured.runs.flatMap((run) => run[nth] ?? []);
    return [
      measured.title,
      name,
      shown(median(seconds)),
      shown(most(seconds)),
      shown(median(bursts.map(({ requests }) => requests))),
      String(bursts.reduce((sum, { refused }) => sum + refused, 0)),
      shownRatio(median(seconds), ours),
    ];
  });
}

function goalOf(measured: Measured): Goal {
  const slowest = most(secondsOf(measured, 0));
  return goalWithin(`${measured.title}, until filed`, slowest, [GOAL_SECONDS, 's']);
}

const NOTES = [
  'Each run is a process, a Slack and a service of its own: nothing was sent in the window before. The first event meets a process that has just begun.',
  'The files (4 KiB each) are shared beforehand; the embedded service answers at once, so that the time is the app’s.',
];
