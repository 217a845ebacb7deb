import { freemem } from 'node:os';
import { type MeasuredApp, obviousSetUp, pigeonhole } from '../processes/apps.ts';
import { type Environment, NO_LIMIT, startEnvironment } from '../processes/environment.ts';
import { forgetPeak, readMemory } from '../processes/memory.ts';
import { MIB, median, shown, shownMiB, shownRatio } from '../report/figures.ts';
import type { Bench, BenchContext, Goal, Report, Table } from '../report/report.ts';
import { curlPipe } from './curl-pipe.ts';

const GIB = 1024 ** 3;
// The obvious set-up runs the larger size once, because it uses the whole machine's memory.
const SIZES = [
  { gib: 1, runs: 3 },
  { gib: 4, runs: 3 },
];
const MAX_MS = 5 * 60_000;
const MAX_GROWTH_MIB = 65;
/** Of curl's speed. */
const MIN_SPEED = 0.83;
/** Growth that differs by less is the same: the heap is collected when it is. */
const SAME_WITHIN_MIB = 25;
/** What holds a file whole holds it twice, and the form around it. */
const ROOM_OF_THE_OBVIOUS = 3;

/** One run with one large file; `problem` says why there are no figures. */
interface LargeFileRun {
  name: string;
  gib: number;
  /** The size of the file. */
  bytes: number;
  seconds: number;
  /** The most bytes by which the process's resident memory grew. */
  growth: number;
  problem: string | null;
}

/** Files one large file with each app, and with curl. */
export const largeFile: Bench = {
  name: 'large-file',
  title: 'A large file',
  run,
};

// The runs take turns, so that other load on the machine affects all of them alike.
async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const runs: LargeFileRun[] = [];
  for (const { gib, runs: count } of SIZES) {
    for (let nth = 0; nth < count; nth += 1) {
      progress(`${gib} GiB, run ${nth + 1} of ${count}`);
      const size = { gib, bytes: Math.round(gib * GIB * scale) };
      runs.push(await attempt('Pigeonhole', size, () => fileWith(pigeonhole, size, directory)));
      runs.push(await attempt('curl into curl', size, () => fileWithCurl(size, directory)));
      if (gib === SIZES[0]?.gib || nth === 0)
        runs.push(await attempt(obviousSetUp.name, size, () => fileWithObvious(size, directory)));
    }
  }
  return reportOf(runs);
}

type Size = Pick<LargeFileRun, 'gib' | 'bytes'>;
type Measured = Pick<LargeFileRun, 'seconds' | 'growth'>;

async function attempt(
  name: string,
  size: Size,
  file: () => Promise<Measured>,
): Promise<LargeFileRun> {
  try {
    return { name, ...size, ...(await file()), problem: null };
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { name, ...size, seconds: Number.NaN, growth: Number.NaN, problem };
  }
}

function startUnlimited(directory: string): Promise<Environment> {
  return startEnvironment({ directory, rateLimit: NO_LIMIT, discardBytes: true });
}

async function fileWith(app: MeasuredApp, { bytes }: Size, directory: string): Promise<Measured> {
  await using environment = await startUnlimited(directory);
  const { process, url } = await environment.startApp(app);
  await environment.slack.call('connectApp', url);
  const before = readMemory(process.pid);
  const measurable = forgetPeak(process.pid);
  const [shared, filed] = await Promise.all([
    environment.slack.call('shareLarge', { name: 'film.mov', bytes }),
    environment.service.call('untilFiled', { files: 1, withinMs: MAX_MS }),
  ]);
  const after = readMemory(process.pid);
  if (filed.files === 0) throw new Error('it was not filed');
  const growth = before && after && measurable ? after.peak - before.now : Number.NaN;
  return { seconds: (filed.at - shared.at) / 1000, growth };
}

async function fileWithCurl({ bytes }: Size, directory: string): Promise<Measured> {
  await using environment = await startUnlimited(directory);
  const { slack, service } = environment.appOptions;
  const { url } = await environment.slack.call('shareLarge', { name: 'film.mov', bytes });
  const { seconds, peakBytes } = await curlPipe({ url, ...slack, ...service, name: 'film.mov' });
  const filed = await environment.service.call('untilFiled', { files: 1, withinMs: 0 });
  if (filed.files === 0) throw new Error('it was not filed');
  return { seconds, growth: peakBytes };
}

async function fileWithObvious(size: Size, directory: string): Promise<Measured> {
  if (size.bytes * ROOM_OF_THE_OBVIOUS > freemem())
    throw new Error('not tried: the machine has too little memory for it');
  return fileWith(obviousSetUp, size, directory);
}

/** Reports the medians of the runs of each size. */
function reportOf(runs: LargeFileRun[]): Report {
  return {
    tables: SIZES.map(({ gib, runs: count }) => tableOf(runs, gib, count)),
    goals: goalsOf(runs),
    notes: [...NOTES, ...problemsOf(runs)],
    raw: runs.map(
      ({ name, gib, seconds, growth }) =>
        `${name}, ${gib} GiB: ${shown(seconds)} s, ${shownMiB(growth)} MiB`,
    ),
  };
}

function tableOf(runs: LargeFileRun[], gib: number, count: number): Table {
  const names = [...new Set(runs.map(({ name }) => name))];
  const curl = figuresOf(runs, 'curl into curl', gib);
  const rows = names.map((name) => {
    const { seconds, growth, bytes } = figuresOf(runs, name, gib);
    const speed = shownRatio(curl.seconds, seconds);
    return [name, shown(seconds), shownMiB(bytes / seconds), speed, shownMiB(growth)];
  });
  const columns = ['way', 'seconds', 'MiB/s', 'speed, times curl', 'memory growth, MiB'];
  const title = `${gib} GiB, ${count === 1 ? 'one run' : `medians of ${count} runs`}`;
  return { title, columns, rows };
}

function figuresOf(runs: LargeFileRun[], name: string, gib: number) {
  const ofIt = runs.filter((run) => run.name === name && run.gib === gib);
  const valid = ofIt.filter(({ problem }) => problem === null);
  const isWhole = valid.length === ofIt.length;
  return {
    bytes: median(valid.map(({ bytes }) => bytes)),
    seconds: median(valid.map(({ seconds }) => seconds)),
    growth: median(valid.map(({ growth }) => growth)),
    /** Whether every run succeeded. */
    isWhole,
  };
}

function goalsOf(runs: LargeFileRun[]): Goal[] {
  const one = figuresOf(runs, 'Pigeonhole', 1);
  const four = figuresOf(runs, 'Pigeonhole', 4);
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
    ...[1, 4].map((gib) => speedGoal(runs, gib)),
  ];
}

function speedGoal(runs: LargeFileRun[], gib: number): Goal {
  const ours = figuresOf(runs, 'Pigeonhole', gib);
  const speed = figuresOf(runs, 'curl into curl', gib).seconds / ours.seconds;
  return {
    what: `speed, ${gib} GiB`,
    goal: `at least ${MIN_SPEED} times curl into curl`,
    found: shownRatio(speed, 1),
    met: ours.isWhole && speed >= MIN_SPEED,
  };
}

function problemsOf(runs: LargeFileRun[]): string[] {
  const failed = runs.filter(({ problem }) => problem !== null);
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
