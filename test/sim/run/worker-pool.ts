import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Job, JobResult } from './worker.ts';

const MAIN = new URL('../main.ts', import.meta.url);

// Most objects of a world die young, so collections are few and large; they stay on the working
// thread because the other processor runs worlds of its own. Much code runs only a few hundred
// times: compiling it at once with the baseline compiler costs less than interpreting it.
const FLAGS = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  '--always-sparkplug',
];

/** Each world leaves some memory behind in its process, so it is replaced after this many. */
const WORLDS_A_PROCESS = 800;

/** Far longer than a world takes, cut down after a failure too: something in it goes round in circles. */
const MAX_JOB_MS = 20 * 60_000;

/** Runs jobs in this many processes at once; `next` returns the next job, or null at the end. */
export async function runJobs(
  processes: number,
  next: () => Job | null,
  onDone: (result: JobResult) => void,
): Promise<void> {
  const runs = Array.from({ length: processes }, async () => {
    for (let job = next(); job; job = next()) await runInProcess(job, next, onDone);
  });
  await Promise.all(runs);
}

async function runInProcess(
  first: Job,
  next: () => Job | null,
  onDone: (result: JobResult) => void,
): Promise<void> {
  const execArgv = [...process.execArgv, ...FLAGS];
  const child = fork(MAIN, ['--worker'], { stdio: 'inherit', execArgv });
  try {
    await nextMessage(child, 'runs worlds');
    let job: Job | null = first;
    for (let worlds = 0; job && worlds < WORLDS_A_PROCESS; worlds += 1) {
      child.send(job);
      onDone((await nextMessage(child, `ran seed ${job.seed}`)) as JobResult);
      job = worlds + 1 < WORLDS_A_PROCESS ? next() : null;
    }
  } finally {
    if (child.connected) child.disconnect();
  }
}

/** Rejects if the process ends or stays silent for too long. */
async function nextMessage(child: ChildProcess, what: string): Promise<unknown> {
  const either = new AbortController();
  const { signal } = either;
  const timeout = setTimeout(() => child.kill('SIGKILL'), MAX_JOB_MS);
  const death = once(child, 'exit', { signal }).then(() => {
    throw new Error(`The process that ${what} died, or had to be ended.`);
  });
  death.catch(() => undefined);
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), death]);
    return message;
  } finally {
    clearTimeout(timeout);
    either.abort();
  }
}
