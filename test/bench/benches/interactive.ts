import { baselines, pigeonhole } from '../processes/apps.ts';
import { median, most, percentile, shown, shownRatio } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';
import { type Burst, compareBursts } from './burst.ts';

const ASK_EVERY_MS = 2_000;
const P95_GOAL_MS = 500;
const MAX_GOAL_MS = 2_500;

/** Measures how long a person waits for a list while many files are being filed. */
export const interactive: Bench = {
  name: 'interactive',
  title: '`/files` while many files are being filed',
  run,
};

async function run({ files, comparedFiles, directory, progress }: BenchContext): Promise<Report> {
  const asking = { filesEach: 1, askEveryMs: ASK_EVERY_MS };
  progress(`${files} files and a person who asks, Pigeonhole alone`);
  const alone = await compareBursts([pigeonhole], { ...asking, shares: files }, directory);
  progress(`${comparedFiles} files and a person who asks, Pigeonhole and its rivals`);
  const all = [pigeonhole, ...baselines];
  const compared = await compareBursts(all, { ...asking, shares: comparedFiles }, directory);
  const bursts = [...alone, ...compared];
  return {
    tables: [
      {
        title: 'From the command to the list that the person sees, in milliseconds',
        columns: ['set-up', 'files', 'asked', 'p50', 'p95', 'most', 'p50, times', 'all filed in s'],
        rows: bursts.map((burst) =>
          rowOf(burst, compared.includes(burst) ? compared[0] : undefined),
        ),
      },
    ],
    goals: [...alone, ...compared.slice(0, 1)].flatMap(goalsOf),
    notes: NOTES,
    raw: bursts.map(({ name, answers }) => `${name}: ${answers.map(shown).join(' ')}`),
  };
}

function rowOf({ name, answers, filed, seconds }: Burst, ours: Burst | undefined): string[] {
  return [
    name,
    shown(filed),
    String(answers.length),
    shown(median(answers)),
    shown(percentile(answers, 0.95)),
    shown(most(answers)),
    ours ? shownRatio(median(answers), median(ours.answers)) : '–',
    shown(seconds),
  ];
}

function goalsOf({ answers, filed }: Burst) {
  const p95 = percentile(answers, 0.95);
  const slowest = most(answers);
  const what = `\`/files\` while ${shown(filed)} files are filed`;
  return [
    goalWithin(`${what}, p95`, p95, [P95_GOAL_MS, 'ms']),
    goalWithin(`${what}, most`, slowest, [MAX_GOAL_MS, 'ms']),
  ];
}

const NOTES = [
  'Asked every 2 s from the first event until the last file is filed. The time ends with the list: words that it takes a while do not count as one, and what is refused counts as never.',
  'While files wait, Pigeonhole may answer from a copy of the list that is up to 5 s old, and says how old it is; the rivals read it each time.',
  'The lists take places in the window too, so that the files take longer than in the bench "bulk".',
  'Bottleneck puts the rivals’ lists first by its priorities; axios-rate-limit and p-throttle know none, so that a list waits behind every file.',
];
