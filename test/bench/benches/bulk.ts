import { baselines, obviousSetUp, pigeonhole } from '../processes/apps.ts';
import { REAL_LIMIT } from '../processes/environment.ts';
import { shown, shownPercent, shownRatio } from '../report/figures.ts';
import type { Bench, BenchContext, Goal, Report } from '../report/report.ts';
import {
  type Burst,
  type BurstPlan,
  compareBursts,
  fewestRequests,
  leastSeconds,
} from './burst.ts';

const FILES_EACH_OF_MANY = 5;

/**
 * Measures many files at once against the real limit: how close the app comes to what it allows.
 */
export const bulk: Bench = {
  name: 'bulk',
  title: 'Many files shared at once, at 25 requests per 10 s',
  run,
};

async function run({ files, comparedFiles, directory, progress }: BenchContext): Promise<Report> {
  progress(`${files} shares of one file, Pigeonhole and the obvious set-up`);
  const full = await compareBursts([pigeonhole, obviousSetUp], one(files), directory);
  const shares = Math.ceil(comparedFiles / FILES_EACH_OF_MANY);
  progress(`${shares} shares of ${FILES_EACH_OF_MANY} files, Pigeonhole`);
  const many = await compareBursts(
    [pigeonhole],
    { shares, filesEach: FILES_EACH_OF_MANY },
    directory,
  );
  progress(`${comparedFiles} shares of one file, Pigeonhole and its rivals`);
  const compared = await compareBursts([pigeonhole, ...baselines], one(comparedFiles), directory);
  return reportOf([full, many, compared]);
}

function one(shares: number): BurstPlan {
  return { shares, filesEach: 1 };
}

/** Bursts that ran at the same time; Pigeonhole's comes first. */
type Group = Burst[];

function reportOf(groups: Group[]): Report {
  const [full = []] = groups;
  const columns = [
    'set-up',
    'files',
    'seconds',
    'files per 10 s',
    'requests',
    '429s',
    'most in a window',
    'of the limit, bursting',
    'of the limit, steady',
    'times as long',
  ];
  const tables = groups.map((group) => ({
    title: titleOf(group),
    columns,
    rows: group.map((burst) => rowOf(burst, group[0])),
  }));
  return {
    tables,
    goals: goalsOf(full),
    notes: NOTES,
    raw: groups.flat().map((burst) => JSON.stringify(burst)),
  };
}

function titleOf([first]: Group): string {
  const { shares = 0, filesEach = 0 } = first?.plan ?? {};
  return `${shares} shares of ${filesEach === 1 ? 'one file' : `${filesEach} files`}, until every file is in its folder`;
}

function rowOf(burst: Burst, ours: Burst | undefined): string[] {
  const { bursting, steady } = limitsOf(burst);
  return [
    burst.name,
    burst.filed === filesOf(burst) ? shown(burst.filed) : `${burst.filed} of ${filesOf(burst)}`,
    shown(burst.seconds),
    shown((burst.filed / burst.seconds) * 10),
    shown(burst.requests),
    String(burst.refused),
    String(burst.mostInWindow),
    shownPercent(bursting / burst.seconds),
    shownPercent(steady / burst.seconds),
    ours ? shownRatio(burst.seconds, ours.seconds) : '–',
  ];
}

function filesOf({ plan }: Burst): number {
  return plan.shares * plan.filesEach;
}

function limitsOf(burst: Burst) {
  return leastSeconds(fewestRequests(filesOf(burst)));
}

function goalsOf([ours, obvious]: Group): Goal[] {
  if (!ours || !obvious) return [];
  const share = limitsOf(ours).bursting / ours.seconds;
  const ratio = obvious.seconds / ours.seconds;
  return [
    {
      what: `429s, ${filesOf(ours)} files at once`,
      goal: 'none',
      found: String(ours.refused),
      met: ours.refused === 0 && ours.mostInWindow <= REAL_LIMIT.requests,
    },
    {
      what: 'share of the physical limit, bursting',
      goal: 'at least 90%',
      found: shownPercent(share),
      met: share >= 0.9,
    },
    {
      what: 'against the obvious set-up',
      goal: 'at least 1.8 times as fast',
      found: shownRatio(ratio, 1),
      met: ratio >= 1.8,
    },
  ];
}

const NOTES = [
  'The embedded file service counts a true sliding window of 25 requests in 10 s, as they arrive.',
  'The files (4 KiB each) are shared beforehand; the time runs from the first event until the last file is in its folder.',
  'The physical limit: one upload a file and one create for every 24 (a create may take more, and Pigeonhole then needs fewer). "Bursting" lets the first 25 requests go in the first moment; "steady" takes the average rate, so that more than 100% is possible.',
  'The obvious set-up: Bolt, axios, form-data, whole files in memory, one create a file, Bottleneck’s reservoir of 25 refreshed every 10 s, retries by Bottleneck’s `failed` event after `Retry-After`. The other rivals are the same bot on another limiter; those without retries of their own try again after `Retry-After`.',
  'The set-ups of one table run at the same time, each with a Slack and a service of its own: what they wait for is the limit.',
  'Pigeonhole also reacts to each message and answers in its thread; the rivals tell nobody.',
];
