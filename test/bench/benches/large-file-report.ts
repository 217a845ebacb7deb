import type { Goal, Report } from '../report/report.ts';
import { shown, shownMiB, shownRatio } from '../report/shown-figure.ts';
import { median } from '../report/statistics.ts';
import type { Table } from '../report/table.ts';
import type { Passage } from './large-file.ts';

const MIB = 1024 * 1024;
const MAX_GROWTH_MIB = 65;
/** Of curl's speed. */
const MIN_SPEED = 0.83;
/** Growth that differs by less is the same: the heap is collected when it is. */
const SAME_WITHIN_MIB = 25;

type Sizes = readonly { gib: number; runs: number }[];

/** Medians of the runs of each size. */
export function largeFileReport(passages: Passage[], sizes: Sizes): Report {
  return {
    tables: sizes.map(({ gib, runs }) => tableOf(passages, gib, runs)),
    goals: goalsOf(passages),
    notes: [...NOTES, ...problemsOf(passages)],
    raw: passages.map(
      ({ name, gib, seconds, growth }) =>
        `${name}, ${gib} GiB: ${shown(seconds)} s, ${shownMiB(growth)} MiB`,
    ),
  };
}

function tableOf(passages: Passage[], gib: number, runs: number): Table {
  const names = [...new Set(passages.map(({ name }) => name))];
  const curl = figuresOf(passages, 'curl into curl', gib);
  const rows = names.map((name) => {
    const { seconds, growth, bytes } = figuresOf(passages, name, gib);
    const speed = shownRatio(curl.seconds, seconds);
    return [name, shown(seconds), shownMiB(bytes / seconds), speed, shownMiB(growth)];
  });
  const columns = ['way', 'seconds', 'MiB/s', 'speed, times curl', 'memory growth, MiB'];
  const title = `${gib} GiB, ${runs === 1 ? 'one run' : `medians of ${runs} runs`}`;
  return { title, columns, rows };
}

function figuresOf(passages: Passage[], name: string, gib: number) {
  const ofIt = passages.filter((passage) => passage.name === name && passage.gib === gib);
  const valid = ofIt.filter(({ problem }) => problem === null);
  const isWhole = valid.length === ofIt.length;
  return {
    bytes: median(valid.map(({ bytes }) => bytes)),
    seconds: median(valid.map(({ seconds }) => seconds)),
    growth: median(valid.map(({ growth }) => growth)),
    /** Whether every run went through. */
    isWhole,
  };
}

function goalsOf(passages: Passage[]): Goal[] {
  const one = figuresOf(passages, 'Pigeonhole', 1);
  const four = figuresOf(passages, 'Pigeonhole', 4);
  const difference = (four.growth - one.growth) / MIB;
  return [
    {
      what: 'memory growth, 1 GiB',
      goal: `at most ${MAX_GROWTH_MIB} MiB`,
      found: `${shownMiB(one.growth)} MiB`,
      met: one.isWhole && one.growth <= MAX_GROWTH_MIB * MIB,
    },
    {
      what: 'memory growth, 4 GiB',
      goal: `at most ${MAX_GROWTH_MIB} MiB, the same within ${SAME_WITHIN_MIB}`,
      found: `${shownMiB(four.growth)} MiB`,
      met: four.isWhole && difference <= SAME_WITHIN_MIB && four.growth <= MAX_GROWTH_MIB * MIB,
    },
    ...[1, 4].map((gib) => speedGoal(passages, gib)),
  ];
}

function speedGoal(passages: Passage[], gib: number): Goal {
  const ours = figuresOf(passages, 'Pigeonhole', gib);
  const speed = figuresOf(passages, 'curl into curl', gib).seconds / ours.seconds;
  return {
    what: `speed, ${gib} GiB`,
    goal: `at least ${MIN_SPEED} times curl into curl`,
    found: shownRatio(speed, 1),
    met: ours.isWhole && speed >= MIN_SPEED,
  };
}

function problemsOf(passages: Passage[]): string[] {
  const failed = passages.filter(({ problem }) => problem !== null);
  const told = failed.map(({ name, gib, problem }) => `${name}, ${gib} GiB: ${problem}`);
  return [...new Set(told)].map((line) => `Not measured: ${line}.`);
}

const NOTES = [
  'The file is made as it is downloaded, and the service counts and hashes it without keeping it; Slack, the service and the app are processes of their own.',
  'The time runs from the share until the file is in its folder; for curl from the start of the pipe, and its shell, until the create is answered.',
  'Memory growth: the peak of the app’s resident memory less what was resident before the share, in a process that has filed nothing yet; for curl the peaks of all its processes together.',
  'The obvious set-up passes 1 GiB as often as the others, 4 GiB once.',
  'curl: `curl URL | curl -F file=@/dev/stdin`, which streams, then a create.',
];
