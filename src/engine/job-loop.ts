import {
  type Clock,
  createOutage,
  createWakeable,
  inTime,
  type Logger,
  type Outage,
  type Random,
  type Runtime,
} from '../base/index.ts';
import type { Lease, Ledger } from '../ledger/index.ts';
import type { Handler, Run } from './job.ts';

const OUTAGE_WAIT_MS = 1_000;
const FIND_EVERY_MS = 60 * 60_000;
const EVENTS = 'events';
export const CLAIM_OUTAGE = {
  begins: 'The database fails: no job can be claimed, and it is asked again every second',
  ends: 'The database works again: jobs can be claimed',
};

interface EventWatch extends Runtime {
  ledger: Pick<Ledger, 'check'>;
  outage: Outage;
}

/**
 * Returns a function that must be called when an event could not be recorded. It counts as part of
 * the outage until the database can be written again: the loops, which may only read, would miss a
 * full disk.
 */
export function createEventWatch(context: EventWatch): () => void {
  const { ledger, outage, clock, stopping, inBackground } = context;
  let isWatching = false;

  async function watch(): Promise<void> {
    while (!stopping.aborted) {
      try {
        await ledger.check();
        return outage.fine(EVENTS);
      } catch (error) {
        outage.failed({ error }, EVENTS);
        await clock.sleep(OUTAGE_WAIT_MS, stopping).catch(() => undefined);
      }
    }
  }

  return () => {
    if (isWatching) return;
    isWatching = true;
    const watched = watch().finally(() => {
      isWatching = false;
    });
    inBackground(watched);
  };
}

interface FindMissing extends Runtime {
  ledger: Pick<Ledger, 'enqueueMissing'>;
  wake(): void;
}

/**
 * Looks for what is open and no job would see to, at the start and every hour, and makes it due: however
 * a file lost its job, it is filed. Ends when the process stops.
 */
export async function findMissing(context: FindMissing): Promise<void> {
  const { ledger, clock, logger, stopping, wake } = context;
  while (!stopping.aborted) {
    try {
      const jobs = await ledger.enqueueMissing(clock.now());
      if (jobs > 0) logger.error({ jobs }, 'Jobs were missing, and are due now');
      if (jobs > 0) wake();
    } catch (error) {
      logger.warn({ error }, 'Missing jobs could not be looked for; that is tried again');
    }
    await clock.sleep(FIND_EVERY_MS, stopping).catch(() => undefined);
  }
}

/** The due jobs of a handler, as the loop serves them. */
interface Queue {
  handler: Handler;
  wakeable: ReturnType<typeof createWakeable>;
}

interface JobInHand {
  queue: Queue;
  until: number;
  abort: AbortController;
  done: Promise<void>;
}

interface JobLoopContext {
  ledger: Pick<Ledger, 'renewLeases' | 'sweepLeases'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Of CLAIM_OUTAGE. Loops that share one log it once for all. Default: the loop's own. */
  outage?: Outage;
  /** How long a lease holds without being renewed, in milliseconds. */
  leaseMs: number;
  /** The longest that a handler waits before the ledger is read for its due jobs, in milliseconds. */
  pollMs: number;
  /** Called after each job has ended, which by itself wakes only its own handler. Default: nothing. */
  onDone?: () => void;
}

/**
 * Claims due jobs of its kinds and runs them. Renews their leases meanwhile, aborts a job that lost
 * its lease, and frees expired leases. The ledger is the only queue: the loop reads it at each
 * `wake`, and else now and then.
 */
export class JobLoop {
  readonly #context: JobLoopContext;
  readonly #jobs = new Map<string, JobInHand>();
  readonly #stop = new AbortController();
  /** Aborts when the grace of a stop is over: a claim that comes through only then is handed back. */
  readonly #end = new AbortController();
  readonly #queues: readonly Queue[];
  readonly #outage: Outage;
  #claiming: Promise<unknown> = Promise.resolve();
  /** Null while no job is in hand. */
  #watching: Promise<void> | null = null;
  #renewing: Promise<void> | null = null;

  constructor(context: JobLoopContext, handlers: readonly Handler[]) {
    this.#context = context;
    this.#outage = context.outage ?? createOutage(context.logger, CLAIM_OUTAGE);
    this.#queues = handlers.map((handler) => ({ handler, wakeable: createWakeable() }));
  }

  start(): void {
    this.#claiming = Promise.all(this.#queues.map((queue) => this.#serve(queue)));
  }

  /** May be handed on by itself. */
  readonly wake = (): void => {
    for (const { wakeable } of this.#queues) wakeable.wake();
  };

  get inHand(): number {
    return this.#jobs.size;
  }

  /** Claims no more, and after `graceMs` milliseconds aborts the jobs; waits for them. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort(new Error('stopping'));
    this.wake();
    const { clock } = this.#context;
    const jobsDone = () => Promise.all([...this.#jobs.values()].map(({ done }) => done));
    const finished = this.#claiming.then(jobsDone);
    if (graceMs > 0) await inTime(finished, { clock, ms: graceMs, late: undefined });
    this.#end.abort(new Error('stopping'));
    for (const job of this.#jobs.values()) job.abort.abort(new Error('stopping'));
    await finished;
    await Promise.all([this.#watching, this.#renewing]);
  }

  async #serve(queue: Queue): Promise<void> {
    const { signal } = this.#stop;
    const { clock } = this.#context;
    while (!signal.aborted) {
      try {
        const waitMs = await this.#advance(queue);
        this.#outage.fine(queue);
        if (waitMs > 0) await queue.wakeable.wait(waitMs, clock);
      } catch (error) {
        if (signal.aborted) return;
        this.#outage.failed({ jobs: queue.handler.kinds, error }, queue);
        await clock.sleep(OUTAGE_WAIT_MS, signal).catch(() => undefined);
      }
    }
  }

  /** Begins a job if one is due. Returns how long to wait before the next call, in milliseconds. */
  async #advance(queue: Queue): Promise<number> {
    const { handler } = queue;
    const { ledger, clock, pollMs } = this.#context;
    const inHand = [...this.#jobs.values()].filter((job) => job.queue === queue).length;
    if (inHand >= handler.concurrency) return pollMs;
    const dueAt = await handler.next();
    if (dueAt === null) return pollMs;
    const dueMs = dueAt - clock.now();
    if (dueMs > 0) return Math.min(dueMs, pollMs);
    if (await this.#begin(queue)) return 0;
    // All loops: another may sweep after it, find nothing, and miss what it freed.
    if ((await ledger.sweepLeases(handler.kinds, { now: clock.now() })) > 0) this.wake();
    return pollMs;
  }

  async #begin(queue: Queue): Promise<boolean> {
    const { clock, random } = this.#context;
    const lease = { now: 0, until: 0, token: random.id() };
    const beginLease = () => {
      lease.now = clock.now();
      lease.until = lease.now + this.#context.leaseMs;
      return { ...lease };
    };
    const run = await queue.handler.claim(beginLease, this.#stop.signal);
    if (run) this.#launch(queue, { run, lease });
    return run !== null;
  }

  #launch(queue: Queue, { run, lease }: { run: Run; lease: Lease }): void {
    const { token, until } = lease;
    const abort = new AbortController();
    if (this.#end.signal.aborted) abort.abort(new Error('stopping'));
    const inHand: JobInHand = { queue, until, abort, done: Promise.resolve() };
    this.#jobs.set(token, inHand);
    this.#watching ??= this.#watch();
    const held = { token, signal: abort.signal, leaseUntil: () => inHand.until };
    inHand.done = run(held)
      .catch((error: unknown) => this.#context.logger.error({ error }, 'A job failed'))
      .finally(() => {
        this.#jobs.delete(token);
        queue.wakeable.wake();
        this.#context.onDone?.();
      });
  }

  // Runs while jobs are in hand. Does not wait for a renewal: it may hang while a lease expires.
  async #watch(): Promise<void> {
    const { clock, leaseMs } = this.#context;
    const { signal } = this.#end;
    for (let checks = 1; this.#jobs.size > 0 && !signal.aborted; checks += 1) {
      await clock.sleep(leaseMs / 10, signal).catch(() => undefined);
      for (const job of this.#jobs.values())
        if (clock.now() >= job.until) job.abort.abort(new Error('the lease ran out'));
      if (checks % 3 === 0 && this.#jobs.size > 0) this.#renewing ??= this.#renew();
    }
    this.#watching = null;
  }

  async #renew(): Promise<void> {
    const { logger } = this.#context;
    const message = 'Leases could not be renewed: work whose lease runs out is ended';
    await this.#renewAll().catch((error: unknown) => logger.warn({ error }, message));
    this.#renewing = null;
  }

  // Sweeps too: #advance sweeps only when it can claim nothing, which a busy kind may never reach.
  async #renewAll(): Promise<void> {
    const { ledger, clock, leaseMs } = this.#context;
    const until = clock.now() + leaseMs;
    const jobs = [...this.#jobs];
    const held = await ledger.renewLeases({ tokens: jobs.map(([token]) => token), until });
    for (const [token, job] of jobs)
      if (held.has(token)) job.until = until;
      else job.abort.abort(new Error('the lease was lost'));
    const kinds = jobs.flatMap(([, { queue }]) => queue.handler.kinds);
    await ledger.sweepLeases([...new Set(kinds)], { now: clock.now() });
  }
}
