import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { recordStacks } from '../kernel/virtual-time.ts';
import { runWorld, type WorldResult } from '../world/run-world.ts';
import { filterPlan, type PlanFilter, shrink } from './shrink.ts';

export interface Job {
  seed: number;
  filter: PlanFilter;
  check: boolean;
  shrink: boolean;
  /** Whether to return the trace even if the world holds. */
  trace: boolean;
  /** Whether to record what each event changed. */
  record: boolean;
}

/** The result of a job; the trace is included only where it is wanted. */
export interface JobResult extends Omit<WorldResult, 'trace'> {
  trace: readonly string[] | null;
  /** The filter with which it still fails. */
  filter: PlanFilter;
  cpuMs: number;
}

/** Where worlds keep their databases: in memory, if the machine has an in-memory folder. */
const ROOT = '/dev/shm';

/** Each channel that is linked wants a line for each of its messages, until its settings are changed. */
const LINES_WHEN_LINKED = `create trigger lines_when_linked after update of linked_at on channels
  when new.project_id is not null
  begin update channels set lines = 1 where rowid = new.rowid; end`;

/** Runs jobs from the parent process, one after another. */
export async function work(): Promise<void> {
  // Not named after the process: one that was killed leaves its folder, and its identifier returns.
  const folder = mkdtempSync(join(ROOT, 'pigeonhole-sim-'));
  const run = await createRunner(folder);
  process.on('disconnect', () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  process.on('message', (job: Job) => {
    void doJob(job, run).then((done) => process.send?.(done));
  });
  process.send?.('ready');
}

type Run = (seed: number, filter: PlanFilter, record?: boolean) => Promise<WorldResult>;

// Creates one empty database, which each world copies.
async function createRunner(folder: string): Promise<Run> {
  const empty = join(folder, 'template');
  mkdirSync(empty, { recursive: true });
  const ledger = await openLedger(sqliteDialect(empty), 0);
  await ledger.close();
  const database = new DatabaseSync(join(empty, 'pigeonhole.sqlite'));
  database.exec(LINES_WHEN_LINKED);
  database.close();
  const folders = { data: join(folder, 'world'), template: join(empty, 'pigeonhole.sqlite') };
  return (seed, filter, record = false) => runWorld(filterPlan(seed, filter), folders, record);
}

async function doJob(job: Job, run: Run): Promise<JobResult> {
  recordStacks(job.trace);
  const before = process.cpuUsage();
  const once = () => run(job.seed, job.filter, job.record);
  const first = await once();
  const result = job.check ? compare(first, await once()) : first;
  const { user, system } = process.cpuUsage(before);
  const { trace: all, ...rest } = result;
  const isFailure = result.violation !== null;
  const mayShrink = isFailure && job.shrink && job.filter.keep === null;
  const filter = mayShrink ? await shrinkFailure(result, job.filter, run) : job.filter;
  const trace = job.trace || isFailure ? all : null;
  return { ...rest, filter, trace, cpuMs: (user + system) / 1_000 };
}

function shrinkFailure(result: WorldResult, filter: PlanFilter, run: Run): Promise<PlanFilter> {
  const steps = filterPlan(result.seed, filter).steps.map(({ id }) => id);
  return shrink(result, steps, (smaller) => run(result.seed, smaller));
}

function compare(first: WorldResult, second: WorldResult): WorldResult {
  const [one = [], other = []] = [first, second].map(({ trace, events }) => [
    ...trace,
    ...events.map((event) => JSON.stringify(event)),
  ]);
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return first;
  const what = `line ${at + 1}: "${one[at]}" and then "${other[at]}"`;
  return { ...first, violation: { property: 'the same trace twice', what } };
}
