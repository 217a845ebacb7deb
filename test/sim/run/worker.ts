import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { keepStacks } from '../kernel/virtual-time.ts';
import { type Outcome, runWorld } from '../world/run-world.ts';
import { type Cut, cutPlan, shrink, UNCUT } from './shrink.ts';

/** A request to a worker process: run one world. */
export interface Job {
  seed: number;
  cut: Cut;
  check: boolean;
  shrink: boolean;
  /** Whether to return the trace even if the world holds. */
  trace: boolean;
  /** Whether to record what each event changed. */
  record: boolean;
}

/** The result of a job; the trace is included only where it is wanted. */
export interface Done extends Omit<Outcome, 'trace'> {
  trace: readonly string[] | null;
  /** The cut that still fails. */
  cut: Cut;
  /** Processor time, in milliseconds. */
  cpuMs: number;
}

/** Runs jobs from the parent process, one after another. */
export async function work(): Promise<void> {
  const runner = await openWorldRunner();
  process.on('disconnect', () => {
    runner.close();
    process.exit(0);
  });
  process.on('message', (job: Job) => {
    void doJob(job, runner.run).then((done) => process.send?.(done));
  });
  process.send?.('ready');
}

type Run = (seed: number, cut: Cut, record?: boolean) => Promise<Outcome>;

async function doJob(job: Job, run: Run): Promise<Done> {
  const { seed } = job;
  keepStacks(job.trace);
  const before = process.cpuUsage();
  const once = () => run(seed, job.cut, job.record);
  const first = await once();
  const outcome = job.check ? await compare(first, once) : first;
  const used = process.cpuUsage(before);
  const cut = outcome.violation && job.shrink ? await cutDown(outcome, job.cut, run) : job.cut;
  const { trace, ...rest } = outcome;
  const wanted = job.trace || outcome.violation !== null;
  return { ...rest, cut, trace: wanted ? trace : null, cpuMs: (used.user + used.system) / 1_000 };
}

function cutDown(outcome: Outcome, cut: Cut, run: Run): Promise<Cut> {
  if (cut !== UNCUT && cut.keep !== null) return Promise.resolve(cut);
  const steps = cutPlan(outcome.seed, cut).steps.map(({ id }) => id);
  return shrink(outcome, steps, (smaller) => run(outcome.seed, smaller));
}

async function compare(first: Outcome, again: () => Promise<Outcome>): Promise<Outcome> {
  const second = await again();
  const lines = [first, second].map(({ trace, events }) => [
    ...trace,
    ...events.map((event) => JSON.stringify(event)),
  ]);
  const [one = [], other = []] = lines;
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return first;
  const what = `line ${at + 1}: "${one[at]}" and then "${other[at]}"`;
  return { ...first, violation: { property: 'the same twice', what } };
}

/** Where worlds keep their databases: in memory, if the machine has an in-memory folder. */
const ROOT = '/dev/shm';

/** Runs worlds in this process, one after another. */
interface WorldRunner {
  run(seed: number, cut: Cut, record?: boolean): Promise<Outcome>;
  close(): void;
}

/** Creates one empty database, which each world copies. */
async function openWorldRunner(): Promise<WorldRunner> {
  const folder = join(ROOT, `pigeonhole-sim-${process.pid}`);
  const seeds = join(folder, 'template');
  mkdirSync(seeds, { recursive: true });
  const ledger = await openLedger(sqliteDialect(seeds), 0);
  await ledger.close();
  const template = join(seeds, 'pigeonhole.sqlite');
  return {
    run: (seed, cut, record = false) => {
      const data = join(folder, 'world');
      mkdirSync(data, { recursive: true });
      return runWorld(cutPlan(seed, cut), { data, template }, record);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
