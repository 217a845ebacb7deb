import { writeFileSync } from 'node:fs';
import { writeReplay } from '../../../src/playground/replay/replay-file.ts';
import { BEGINNING } from '../kernel/virtual-time.ts';
import { cutWords } from './cut-plan.ts';
import { readOptions, type SimOptions } from './options.ts';
import { createTally, shownFailure } from './tally.ts';
import type { Done, Job } from './worker.ts';
import { runJobs } from './workers.ts';

/** Runs the command line; resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  try {
    return await simulate(readOptions(args));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}

async function simulate(options: SimOptions): Promise<number> {
  const begun = Date.now();
  const tally = createTally();
  let seed = options.from;
  if (options.to === Number.POSITIVE_INFINITY) console.log(`From seed ${seed} on.`);
  const isOver = () =>
    seed > options.to ||
    tally.failures.length >= options.most ||
    (options.withinMs !== null && Date.now() - begun >= options.withinMs);
  const next = (): Job | null => {
    if (isOver()) return null;
    while (options.skip.includes(seed)) seed += 1;
    const { cut, check, trace, shrink, out } = options;
    seed += 1;
    return { seed: seed - 1, cut, check, shrink, trace, record: out !== null };
  };
  const most = Math.min(options.jobs, options.to - options.from + 1);
  await runJobs(most, next, (done) => {
    tally.add(done);
    show(done, options);
  });
  if (options.withinMs !== null) console.log(`Seeds ${options.from}..${seed - 1}`);
  console.log(tally.report(Date.now() - begun).join('\n'));
  return tally.failures.length === 0 ? 0 : 1;
}

function show(done: Done, { trace, out }: SimOptions): void {
  if (trace) console.log(done.trace?.join('\n'));
  if (out !== null) writeFileSync(out, replayOf(done));
  if (done.violation) console.log(shownFailure(done));
}

function replayOf({ seed, cut, events }: Done): string {
  const title = `Simulated world ${seed}${cutWords(cut)}`;
  return writeReplay({ title, beganAt: BEGINNING, events });
}
