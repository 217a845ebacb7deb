import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Done, Job } from './worker.ts';

const MAIN = new URL('../main.ts', import.meta.url);

// Most objects of a world die young, so collections are few and large; they stay on the working
// thread because the other processor runs worlds of its own. Much code runs only a few hundred
// times, and compiling it at once with the baseline compiler costs less than interpreting it each
// time.
const FLAGS = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  '--always-sparkplug',
];

/**
 * Each world leaves some memory behind in its process, so the process is replaced after this many.
 */
const WORLDS_A_PROCESS = 800;

/** Far longer than a world takes, cut down after a failure too: something in it goes round in circles. */
const MAX_JOB_MS = 5 * 60_000;

/** Runs jobs in this many processes at once; `next` returns the next job, or null at the end. */
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
  const did = async (job: Job) => {
    child.send(job);
    onDone((await told(child, `ran seed ${job.seed}`)) as Done);
  };
  try {
    await told(child, 'runs worlds');
    await did(first);
    for (let done = 1; done < WORLDS_A_PROCESS; done += 1) {
      const job = next();
      if (!job) return;
      await did(job);
    }
  } finally {
    if (child.connected) child.disconnect();
  }
}

/**
 * Resolves with a process's next message; rejects if the process ends or stays silent for too long.
 */
async function told(child: ChildProcess, what: string): Promise<unknown> {
  const either = new AbortController();
  const { signal } = either;
  const patience = setTimeout(() => child.kill('SIGKILL'), MAX_JOB_MS);
  const death = once(child, 'exit', { signal }).then(() => {
    throw new Error(`The process that ${what} died, or had to be ended.`);
  });
  death.catch(() => undefined);
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), death]);
    return message;
  } finally {
    clearTimeout(patience);
    either.abort();
  }
}
