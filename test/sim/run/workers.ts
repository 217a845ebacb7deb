import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Done, Job } from './worker.ts';

const MAIN = new URL('../main.ts', import.meta.url);

// Most of what a world makes is soon forgotten: fewer, larger sweeps. Much code runs a few hundred
// times only: compiled plainly at once, it costs less than read again each time.
const FLAGS = ['--max-semi-space-size=64', '--always-sparkplug'];

/** Something of each world stays behind in its process: after so many it is replaced. */
const WORLDS_A_PROCESS = 400;

/** Does jobs in so many processes at once; `next` gives one after another, and null at the end. */
export async function runJobs(
  jobs: number,
  next: () => Job | null,
  onDone: (done: Done) => void,
): Promise<void> {
  const lines = Array.from({ length: jobs }, async () => {
    for (let job = next(); job; job = next()) await workFrom(job, next, onDone);
  });
  await Promise.all(lines);
}

async function workFrom(
  first: Job,
  next: () => Job | null,
  onDone: (done: Done) => void,
): Promise<void> {
  const child = fork(MAIN, ['--worker'], {
    stdio: 'inherit',
    execArgv: [...process.execArgv, ...FLAGS],
  });
  try {
    await once(child, 'message');
    onDone(await ask(child, first));
    for (let done = 1; done < WORLDS_A_PROCESS; done += 1) {
      const job = next();
      if (!job) return;
      onDone(await ask(child, job));
    }
  } finally {
    child.disconnect();
  }
}

async function ask(child: ChildProcess, job: Job): Promise<Done> {
  const died = new AbortController();
  const death = once(child, 'exit', { signal: died.signal }).then(() => {
    throw new Error(`The process that ran seed ${job.seed} died.`);
  });
  death.catch(() => undefined);
  const answer = once(child, 'message', { signal: died.signal });
  child.send(job);
  try {
    const [done] = await Promise.race([answer, death]);
    return done as Done;
  } finally {
    died.abort();
  }
}
