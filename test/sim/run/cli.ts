import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { writeReplay } from '../../../src/playground/replay/replay-file.ts';
import { START_TIME } from '../kernel/virtual-time.ts';
import { FAULT_GROUPS, type FaultGroup, filterArgs } from './shrink.ts';
import type { Job, JobResult } from './worker.ts';
import { runJobs } from './worker-pool.ts';

/** Runs the command line; resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  try {
    const values = parse(args);
    if (!values.help) return await simulate(readOptions(values));
    console.log(USAGE);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}

async function simulate(options: SimOptions): Promise<number> {
  const begun = Date.now();
  const summary = createSummary();
  let seed = options.from;
  if (options.to === Number.POSITIVE_INFINITY) console.log(`From seed ${seed} on.`);
  const isOver = () =>
    seed > options.to ||
    summary.failures.length >= options.most ||
    (options.withinMs !== null && Date.now() - begun >= options.withinMs);
  const next = (): Job | null => {
    if (isOver()) return null;
    while (options.skip.includes(seed)) seed += 1;
    const { filter, check, trace, shrink, out } = options;
    seed += 1;
    return { seed: seed - 1, filter, check, shrink, trace, record: out !== null };
  };
  const most = Math.min(options.jobs, options.to - options.from + 1);
  await runJobs(most, next, (result) => {
    summary.add(result);
    show(result, options);
  });
  if (options.withinMs !== null) console.log(`Seeds ${options.from}..${seed - 1}`);
  console.log(summary.report(Date.now() - begun).join('\n'));
  return summary.failures.length === 0 ? 0 : 1;
}

function show(result: JobResult, { trace, out }: SimOptions): void {
  const { seed, filter, events } = result;
  if (trace) console.log(result.trace?.join('\n'));
  const title = `Simulated world ${seed}${filterArgs(filter)}`;
  if (out !== null) writeFileSync(out, writeReplay({ title, beganAt: START_TIME, events }));
  if (result.violation) console.log(describeFailure(result));
}

const USAGE = `npm run sim -- --seed N [--trace] [--check] [--out FILE]   one world
npm run sim -- --seeds A..B                                many worlds
npm run sim -- --minutes M [--from A]                      worlds from fresh seeds, for so long

  --check          run each world twice; the traces must be the same
  --trace          print what happens, one line an event
  --out FILE       record the world in a file; to see it step by step in the browser:
                   npm run playground -- --replay FILE
  --keep 1,4,7     of the plan only these steps
  --without slack  no faults of this kind: ${FAULT_GROUPS.join(', ')}
  --most N         end after so many failures; default: 20
  --skip 1,2       leave these seeds out
  --no-shrink      do not cut a failing world down
  --jobs N         processes; default: one for each core`;

type SimOptions = ReturnType<typeof readOptions>;

/** Reads the options' values; throws an Error whose message is meant for people. */
function readOptions(values: ReturnType<typeof parse>) {
  const { trace, check, out = null } = values;
  const seeds = seedsOf(values);
  if (out !== null && seeds.from !== seeds.to) throw new Error('--out is for one world: --seed N.');
  return {
    ...seeds,
    /** Null: only the seeds end the run. */
    withinMs: values.minutes === undefined ? null : numberOf(values.minutes) * 60_000,
    filter: { keep: keptOf(values.keep), without: groupsOf(values.without) },
    trace,
    out,
    check,
    shrink: !values['no-shrink'],
    most: numberOf(values.most),
    skip: keptOf(values.skip) ?? [],
    jobs: values.jobs === undefined ? availableParallelism() : numberOf(values.jobs),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  ...{ seed: TEXT, seeds: TEXT, minutes: TEXT, from: TEXT },
  ...{ keep: TEXT, without: TEXT, out: TEXT, jobs: TEXT },
  most: { type: 'string', default: '20' },
  skip: { type: 'string', default: 'none' },
  trace: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function seedsOf(given: ReturnType<typeof parse>) {
  if (given.seed !== undefined) return { from: numberOf(given.seed), to: numberOf(given.seed) };
  const range = /^(\d+)\.\.(\d+)$/.exec(given.seeds ?? '');
  if (range) return { from: Number(range[1]), to: Number(range[2]) };
  if (given.minutes === undefined) throw new Error(USAGE);
  const from = given.from === undefined ? freshSeed() : numberOf(given.from);
  return { from, to: Number.POSITIVE_INFINITY };
}

// A different seed each time, far from the small numbers that people type.
function freshSeed(): number {
  return 1_000_000 + (Number(process.hrtime.bigint() % 1_000_000n) * 1_000 || 1);
}

function keptOf(text: string | undefined): number[] | null {
  if (text === undefined) return null;
  return text === 'none' ? [] : text.split(',').map(numberOf);
}

function groupsOf(text: string | undefined): FaultGroup[] {
  const names = text?.split(',') ?? [];
  return names.map((name) => {
    const group = FAULT_GROUPS.find((one) => one === name);
    if (!group) throw new Error(`"${name}" is no kind of fault: ${FAULT_GROUPS.join(', ')}`);
    return group;
  });
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`"${text}" is no number.\n\n${USAGE}`);
  return value;
}

export function createSummary() {
  const failures: JobResult[] = [];
  const injected = new Map<string, number>();
  let worlds = 0;
  let lastedMs = 0;
  let cpuMs = 0;
  const counts = new Map<string, number>();
  const addAll = (to: Map<string, number>, from: Record<string, number>) => {
    for (const [name, count] of Object.entries(from)) to.set(name, (to.get(name) ?? 0) + count);
  };
  return {
    failures,
    add: (result: JobResult): void => {
      worlds += 1;
      lastedMs += result.lastedMs;
      cpuMs += result.cpuMs;
      addAll(injected, result.injected);
      addAll(counts, result.counts);
      if (result.violation) failures.push(result);
    },
    /** Returns the summary as lines for people. */
    report: (realMs: number): string[] => {
      const hours = lastedMs / 3_600_000;
      const seconds = cpuMs / 1_000;
      return [
        `${worlds} ${worlds === 1 ? 'world' : 'worlds'}, ${hours.toFixed(1)} simulated hours, ${seconds.toFixed(1)} s of processor time, ${(realMs / 1_000).toFixed(1)} s`,
        `${Math.round((hours / seconds) * 3_600)} simulated hours a core-hour; ${Math.round((worlds / seconds) * 60)} worlds a core-minute, ${Math.round((worlds / realMs) * 60_000)} a minute as it ran`,
        `In them: ${formatCounts(counts)} (left to people to look at: ${percentOf(counts, 'unclear', 'shares')}, and ${percentOf(counts, 'unclear renamed', 'shares renamed')} where the service renames what it files)`,
        `Faults: ${formatCounts(injected) || 'none'}`,
        failures.length === 0 ? 'Every property held.' : `${failures.length} failed.`,
      ];
    },
  };
}

function percentOf(counts: Map<string, number>, part: string, whole: string): string {
  const percent = (100 * (counts.get(part) ?? 0)) / Math.max(1, counts.get(whole) ?? 0);
  return `${percent.toFixed(2)}%`;
}

function formatCounts(counts: Map<string, number>): string {
  const sorted = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

export function describeFailure({ seed, violation, filter }: JobResult): string {
  return [
    `✗ seed ${seed}: ${violation?.property}`,
    `  ${violation?.what}`,
    `  npm run sim -- --seed ${seed}${filterArgs(filter)} --trace`,
  ].join('\n');
}
